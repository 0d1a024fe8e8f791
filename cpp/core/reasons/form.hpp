#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/poll.hpp"
#include "core/bins/cut_tree.hpp"
#include "core/tree/held.hpp"

namespace orderless::reasons {

/// What a tree decides: its reasons and rules over the bins that the function distinguishes. Each
/// part is found once, when it is asked for.
///
/// Reasons of a small tree are found over the bins of the tree itself, and say which of these the
/// function distinguishes: those between which some reason ends. Of a large one that is found out
/// first, by hashes, because splits that do not matter would multiply the pairs to be joined.
class Form {
 public:
  /// None for a tree that `cut_tree` does not cut. Tree and space must outlive the form.
  [[nodiscard]] static std::optional<Form> of(const TreeView& tree, const HeldSpace& space,
                                              std::int32_t n_classes);

  /// By class all reasons, sorted. Throws TooMany beyond `limit`. Polls `settle`, too.
  const std::vector<BoxList>& reasons(std::size_t limit, const PollFunction& poll, Poll signals);
  /// The positions among the reasons of a class of the fewest that cover it. Only after `reasons`.
  [[nodiscard]] std::vector<std::int32_t> rules(std::size_t class_index, const PollFunction& poll);

  /// Goes over to the bins that the function distinguishes. Polls as `first_difference` does.
  void settle(Poll poll);
  /// What follows is over the function's bins, and only there after `settle`.
  [[nodiscard]] const CutTree& bins() const { return cut_; }
  [[nodiscard]] const std::vector<BoxList>& found() const { return reasons_; }
  /// The tree without conditions that do not matter; none where all of its own do.
  [[nodiscard]] const std::optional<HeldTree>& smaller() const { return smaller_; }

 private:
  Form(const TreeView& tree, const HeldSpace& space, CutTree cut, std::int32_t n_classes);

  using BinGroups = std::vector<std::vector<std::int32_t>>;
  [[nodiscard]] BinGroups told_apart() const;
  void go_over(const BinGroups& groups, HeldTree smaller);

  TreeView tree_;
  const HeldSpace* space_;
  CutTree cut_;
  BoxLayout layout_;
  std::int32_t n_classes_;
  bool settled_ = false;
  std::optional<HeldTree> smaller_;
  std::vector<BoxList> reasons_;  // none: not found yet
  std::optional<BoxList> leaves_;
};

}  // namespace orderless::reasons
