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
class Form {
 public:
  /// None for a tree that `cut_tree` does not cut. Polls as `first_difference` does.
  [[nodiscard]] static std::optional<Form> of(const TreeView& tree, const HeldSpace& space,
                                              std::int32_t n_classes, Poll poll);

  [[nodiscard]] const CutTree& bins() const { return cut_; }
  [[nodiscard]] const BoxLayout& layout() const { return layout_; }
  /// The tree without conditions that do not matter; none where all of its own do.
  [[nodiscard]] const std::optional<HeldTree>& smaller() const { return smaller_; }

  /// By class all reasons, sorted. Throws TooMany beyond `limit`.
  const std::vector<BoxList>& reasons(std::size_t limit, const PollFunction& poll);
  /// The positions among the reasons of a class of the fewest that cover it. Only after `reasons`.
  [[nodiscard]] std::vector<std::int32_t> rules(std::size_t class_index, const PollFunction& poll);

 private:
  Form(CutTree cut, std::int32_t n_classes);

  CutTree cut_;
  BoxLayout layout_;
  std::int32_t n_classes_;
  std::optional<HeldTree> smaller_;
  std::optional<std::vector<BoxList>> reasons_;
  std::optional<BoxList> leaves_;
};

}  // namespace orderless::reasons
