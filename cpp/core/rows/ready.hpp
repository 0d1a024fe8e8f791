#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "core/tree/tree.hpp"

namespace orderless::rows {

/// A tree made ready once, for rows that come one at a time, or few at a time. Every branch of one
/// class is one leaf.
class ReadyTree {
 public:
  /// What one row says of a feature.
  struct Cell {
    enum class Kind : std::uint8_t { unknown, number, missing, code };
    Kind kind = Kind::unknown;  // missing: NaN, where it is a value
    std::int32_t code = -1;
    double number = 0;
  };

  /// `threshold` replaces the tree's; `place` says where a row has a feature.
  ReadyTree(const TreeView& tree, std::span<const Domain> domains,
            std::span<const double> threshold, std::span<const std::int32_t> place);

  [[nodiscard]] std::size_t n_nodes() const { return nodes_.size(); }

  /// The class on which all leaves agree that the row can reach, -1 where they do not. A feature
  /// that is unknown is so altogether: every path to a leaf can then be taken. Cost: the nodes that
  /// it can reach, until two classes are met.
  [[nodiscard]] std::int32_t decide(std::span<const Cell> cells) const {
    return walk([&](const Node& node) {
      const Cell& cell = cells[node.place];
      switch (cell.kind) {
        case Cell::Kind::number:
          return cell.number <= node.cut ? yes : no;
        case Cell::Kind::missing:
          return node.nan_true ? yes : no;
        case Cell::Kind::code:
          return member_[node.set + static_cast<std::size_t>(cell.code)] != 0 ? yes : no;
        default:
          return both;
      }
    });
  }

  /// Likewise for a row of numbers, `step` bytes apart; all features are ordered.
  template <class T>
  [[nodiscard]] std::int32_t decide(const std::byte* row, std::ptrdiff_t step) const {
    return walk([&](const Node& node) {
      T x;
      std::memcpy(&x, row + step * static_cast<std::ptrdiff_t>(node.place), sizeof(T));
      if (x != x) return !node.nan_value ? both : node.nan_true ? yes : no;
      return static_cast<double>(x) <= node.cut ? yes : no;
    });
  }

 private:
  enum Ways : std::uint8_t { yes = 0, no = 1, both = 2 };

  struct Node {
    double cut = 0;
    std::size_t place = 0;
    std::size_t set = 0;             // unordered: first entry in `member_`
    std::int32_t child[2] = {0, 0};  // where the condition holds, and not; a leaf is ~class
    bool nan_true = false;
    bool nan_value = false;
  };

  template <class WaysOf>
  [[nodiscard]] std::int32_t walk(WaysOf&& ways) const {
    std::int32_t at = root_;
    std::int32_t found = -1;
    std::vector<std::int32_t> later;
    while (true) {
      while (at >= 0) {
        const Node& node = nodes_[static_cast<std::size_t>(at)];
        const Ways way = ways(node);
        if (way == both) later.push_back(node.child[1]);
        at = node.child[way == no ? 1 : 0];
      }
      if (found >= 0 && found != ~at) return -1;
      found = ~at;
      if (later.empty()) return found;
      at = later.back();
      later.pop_back();
    }
  }

  std::vector<Node> nodes_;
  std::vector<std::uint8_t> member_;
  std::int32_t root_ = 0;  // a node, or ~class
};

}  // namespace orderless::rows
