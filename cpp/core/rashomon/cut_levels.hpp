#pragma once

#include <functional>
#include <optional>

#include "core/rashomon/best.hpp"
#include "core/rashomon/cut_triples.hpp"
#include "core/rashomon/levels.hpp"

namespace orderless::rashomon {

/// What a graph whose columns come in chains does in another way.
class CutLevels : protected Levels {
 protected:
  CutLevels(Graph& graph, Meter& meter)
      : Levels(graph, meter), best_(rows_, costs_, meter), near_held_(meter) {}

  /// Whether nodes of these rows with two splits left are for expand_chains.
  [[nodiscard]] static bool in_chains(const Part& part);

  /// Depth 3 in all: finds what is near the optimum of all rows, and gives the optimum; nothing
  /// where that is not the way.
  std::optional<std::int64_t> look_at_triples(
      const Part& part, const std::function<std::int64_t(std::int64_t)>& bound_of);

  /// The best of both sides of every group of a node with three splits left.
  [[nodiscard]] SideCosts chain_sides(std::size_t at, const Part& part, std::int64_t budget) const;

  /// The edges of a node with two splits left, and of its children.
  void expand_chains(std::size_t at, std::uint32_t node, const Words& support, const Cuts& cuts);

  Best best_;

 private:
  /// Calls use for the groups of a side of a cut of all rows whose splits are near.
  template <class Use>
  void each_near(std::int32_t literal, const Cuts& cuts, Use&& use) const;
  /// The edges of a node with one split left, of two classes, from the words of its rows.
  void last_edges(Level& level, std::uint32_t node, const Words& support, std::int64_t spare);

  Held near_held_;
  NearCuts near_;  // of all rows, where three cuts were looked at together
  std::vector<std::uint32_t> root_columns_;
  std::vector<std::int64_t> counts_;  // per class and column
};

}  // namespace orderless::rashomon
