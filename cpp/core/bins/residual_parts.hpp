#pragma once

#include <cstdint>
#include <vector>

#include "core/bins/residual.hpp"

namespace orderless {

/// Makes the residual of a whole tree, from the leaves up. Without recursion: trees can be as deep
/// as they have leaves.
class ResidualBuilder {
 public:
  ResidualBuilder(Residuals& residuals, const BinTree& tree);
  [[nodiscard]] Residuals::Id run();

 private:
  struct Side {
    std::int32_t lo, hi, nan;  // ordered; else the mask is in lo
  };
  /// What a node asks inside the box: the question, and the sides that are left.
  struct Asked {
    Residuals::Question question;
    Side yes, no;
    bool some_yes = false, some_no = false;
    bool turned = false;  // whether yes is where the node's condition does not hold
  };
  struct Frame {
    Residuals::Question question;
    std::int32_t second;  // the child for no
    Side saved, second_side;
    bool first_done = false;
    Residuals::Id yes = -1;
  };
  [[nodiscard]] Asked ask_cut(std::size_t node, const Side& here) const;
  [[nodiscard]] Asked ask_set(std::size_t node, const Side& here);
  /// Goes down from a node to the first leaf.
  [[nodiscard]] Residuals::Id descend(std::int32_t node);

  Residuals& residuals_;
  const BinTree& tree_;
  std::vector<Side> box_;  // by feature
  std::vector<Frame> stack_;
};

/// The fingerprint of a residual. As for whole trees (core/same/fingerprint.hpp), but modulo 2^64:
/// a bin weighs F(b) - F(b - 1), the bins of a box's side weigh 1 together, and the function is the
/// sum over leaves of value(class) x weight(box), which does not depend on the tree.
class ResidualPrint {
 public:
  explicit ResidualPrint(const Residuals& residuals) : residuals_(residuals) {}
  [[nodiscard]] std::uint64_t of(Residuals::Id id);
  [[nodiscard]] static std::uint64_t of_leaf(std::int32_t label);

 private:
  struct Part {
    std::int32_t feature;
    std::uint64_t low, high, nan;  // ordered: F at both ends, and NaN's weight
    std::uint64_t sum;             // unordered: weight of the bins
    std::uint64_t rest;            // unordered: what the first bin weighs more than its own
    std::size_t first;
  };
  [[nodiscard]] Part open(const Residuals::Node& node) const;
  [[nodiscard]] std::uint64_t sum_of(std::int32_t mask, const Part& part) const;

  const Residuals& residuals_;
  std::vector<Part> parts_;
};

}  // namespace orderless
