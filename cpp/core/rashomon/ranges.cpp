#include "core/rashomon/ranges.hpp"

#include <algorithm>
#include <utility>

#include "core/rashomon/number_lists.hpp"

namespace orderless::rashomon {

namespace {

class RangeFinder : public NumberLists {
 public:
  using NumberLists::NumberLists;

  /// The labels from `first` to `last` are asked for.
  void ask(std::int32_t first, std::int32_t last) {
    const auto begin = numbers_.begin(), end = numbers_.end();
    first_ = static_cast<std::uint32_t>(std::lower_bound(begin, end, first) - begin);
    end_ = static_cast<std::uint32_t>(std::upper_bound(begin, end, last) - begin);
  }

  std::pair<std::int32_t, std::int32_t> find(const std::uint8_t* one, const std::uint8_t* zero) {
    if (!reachable_.has(0)) return {-1, -1};
    meet(one, zero);
    fill(
        [&](const Edge& edge) {
          if (one[edge.column] != 0) only(edge.when_true, edge.when_false);
          if (zero[edge.column] != 0) only(edge.when_false, edge.when_true);
        },
        [&](List& list) { thin(list); });
    std::pair<std::int32_t, std::int32_t> out{-1, -1};
    const auto add = [&](std::uint32_t place, std::int64_t cost) {
      if (cost > view_.bound || place < first_ || place >= end_) return;
      const std::int32_t label = numbers_[place];
      out.first = out.first < 0 ? label : std::min(out.first, label);
      out.second = std::max(out.second, label);
    };
    for (const Entry& each : lists_[0]) add(each.place, each.cost);
    add(place_[0], graph_.leaf_cost(0));
    return out;
  }

 private:
  /// Leaves the numbers of which no smaller one, or no larger one, is as cheap.
  void thin(List& list) {
    keep_.assign(list.size(), 0);
    std::int64_t least = unreachable;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].cost < least) {
        keep_[i] = 1;
        least = list[i].cost;
      }
    }
    least = unreachable;
    for (std::size_t i = list.size(); i-- > 0;) {
      if (list[i].cost < least) {
        keep_[i] = 1;
        least = list[i].cost;
      }
    }
    std::size_t n = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (keep_[i] != 0) list[n++] = list[i];
    }
    list.resize(n);
  }

  std::vector<std::uint8_t> keep_;
};

}  // namespace

Ranges ranges(const Graph& graph, const View& view, std::span<const std::uint8_t> may_be_one,
              std::span<const std::uint8_t> may_be_zero, std::size_t n_rows, const Windows& windows,
              Meter& meter) {
  require_written(graph);
  RangeFinder finder(graph, view, meter);
  const std::size_t d = graph.rows.n_columns;
  Ranges out;
  for (std::size_t r = 0; r < n_rows; ++r) {
    if (!windows.first.empty()) finder.ask(windows.first[r], windows.last[r]);
    const auto [low, high] = finder.find(may_be_one.data() + r * d, may_be_zero.data() + r * d);
    out.smallest.push_back(low);
    out.largest.push_back(high);
  }
  return out;
}

}  // namespace orderless::rashomon
