#pragma once

#include <cstdint>
#include <vector>

#include "core/rashomon/best.hpp"
#include "core/rashomon/counts.hpp"

namespace orderless::rashomon {

/// Numbers are too many to be tried one after the other: here every node that a row can reach has a
/// list of the numbers that some split there gives to the row, each with the cheapest such split.
/// What "gives" means is up to who combines the sides. Views that ask for groups or a number of
/// leaves are not looked at.
class NumberLists {
 public:
  NumberLists(const Graph& graph, const View& view, Meter& meter);

 protected:
  struct Entry {
    std::uint32_t place = 0;  // among the numbers
    std::int64_t cost = 0;
  };
  using List = std::vector<Entry>;

  /// Marks the nodes that the row can reach.
  void meet(const std::uint8_t* one, const std::uint8_t* zero);
  /// Makes the lists of all nodes that were met, from the last to the root. `combine` is called for
  /// every edge of a node, and lowers costs; `tidy` sees every list once.
  template <class Combine, class Tidy>
  void fill(const Combine& combine, const Tidy& tidy) {
    std::size_t n = 0;
    for (std::uint32_t node = graph_.level_start.back(); node-- > 0;) {
      List& own = lists_[node];
      own.clear();
      if (met_[node] == 0) continue;
      budget_ = reachable_.budget(graph_, node);
      for (const Edge& edge : graph_.of(node)) {
        if (reachable_.has(graph_, node, edge)) combine(edge);
      }
      collect(own);
      tidy(own);
      n += own.size();
      meter_.step(graph_.of(node).size() * 4 + 1);
    }
    held_.set(n * sizeof(Entry) + graph_.n_nodes() * 48);
  }
  /// The row goes to one side; the other may be anything.
  void only(std::uint32_t side, std::uint32_t other);
  void lower(std::uint32_t place, std::int64_t cost) {
    if (place < first_ || place >= end_ || cost > budget_ || cost >= best_[place]) return;
    if (best_[place] == unreachable) touched_.push_back(place);
    best_[place] = cost;
  }

  const Graph& graph_;
  const View& view_;
  Reachable reachable_;
  std::vector<std::int32_t> numbers_;
  std::vector<std::uint32_t> place_;     // of each node's label among the numbers
  std::uint32_t first_ = 0, end_ = 0;    // the places that are looked at
  std::vector<List> lists_;              // of splits
  std::vector<std::int64_t> any_split_;  // the cheapest of each node, whatever it says

 private:
  void find_cheapest();
  void collect(List& out);

  Meter& meter_;
  Held held_;
  std::vector<std::int64_t> best_;  // per number, for the node at hand
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint8_t> met_;
  std::int64_t budget_ = 0;
};

}  // namespace orderless::rashomon
