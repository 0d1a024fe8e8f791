#include <algorithm>
#include <bit>

#include "core/base/hash.hpp"
#include "core/rashomon/best.hpp"
#include "core/rashomon/functions.hpp"

namespace orderless::rashomon {

namespace {

/// A random element for each training row; the same on every machine.
std::vector<Point> row_weights(std::size_t n_rows) {
  std::vector<Point> out(n_rows);
  for (std::size_t r = 0; r < n_rows; ++r) {
    const std::uint64_t seed = (2 * r + 1) * 0x9e3779b97f4a7c15U;
    out[r] = {Field::reduce(mix(seed)), Field::reduce(mix(seed + 0x632be59bd9b4e019U))};
  }
  return out;
}

/// Meets places level by level, so that each has its final budget before it is left.
class Placer {
 public:
  Placer(Places& places, std::size_t key_words) : places_(places), namer_(key_words) {}

  /// The place of a key, at the next level; its budget rises to what is offered.
  std::uint32_t meet(const std::uint64_t* key, std::uint32_t node, std::int64_t budget,
                     bool& is_new) {
    const auto [number, added] = numbers_.add(namer_.name(key));
    is_new = added;
    if (added) {
      at_.push_back(static_cast<std::uint32_t>(places_.size()));
      places_.node.push_back(node);
      places_.budget.push_back(budget);
    }
    const std::uint32_t place = at_[number];
    places_.budget[place] = std::max(places_.budget[place], budget);
    return place;
  }
  [[nodiscard]] std::size_t bytes() const { return numbers_.bytes() + at_.capacity() * 4; }

 private:
  Places& places_;
  Namer namer_;
  Numbers numbers_;
  std::vector<std::uint32_t> at_;
};

}  // namespace

std::size_t Places::bytes() const {
  return size() * 20 + mass.size() * 16 + when_true.size() * 8 + share.size() * 16;
}

/// Leaves come before all of their parents' other levels are done, so places are numbered as they
/// are met: a child always after its parents, because an inner node of the graph has one level.
void Functions::place_all(SpaceMeasure* measure, Meter& meter) {
  const Graph& graph = *graph_;
  const std::size_t n_words = measure->n_words();
  const bool boxes = !measure->independent();
  // The bins of the features that are asked below each node.
  Words asked;
  if (boxes) {
    asked.assign(graph.n_nodes() * n_words, 0);
    for (std::uint32_t node = graph.level_start.back(); node-- > 0;) {
      if (!reachable_.has(node)) continue;
      for (const Edge& edge : graph.of(node)) {
        if (!reachable_.has(graph, node, edge)) continue;
        const std::uint64_t* own = measure->feature_bins(edge.column);
        for (std::size_t w = 0; w < n_words; ++w) {
          asked[node * n_words + w] |=
              own[w] | asked[edge.when_true * n_words + w] | asked[edge.when_false * n_words + w];
        }
      }
    }
  }
  Placer placer(places_, 1 + (boxes ? n_words : 0));
  Held held(meter);
  Words key(1 + n_words), box_of;  // boxes of all places, one after the other
  Words box(n_words), side(n_words);
  const auto meet = [&](std::uint32_t node, const Words& at, std::int64_t budget) {
    key[0] = node;
    if (boxes) {
      for (std::size_t w = 0; w < n_words; ++w) key[1 + w] = at[w] & asked[node * n_words + w];
    }
    bool is_new = false;
    const std::uint32_t place = placer.meet(key.data(), node, budget, is_new);
    if (is_new && boxes) box_of.insert(box_of.end(), key.begin() + 1, key.end());
    return place;
  };
  if (!reachable_.has(0)) return;
  meet(0, measure->whole(), view_.bound);
  for (std::uint32_t place = 0; place < places_.size(); ++place) {
    const std::uint32_t node = places_.node[place];
    places_.edge_start.push_back(places_.when_true.size());
    if (boxes) {
      std::copy_n(box_of.begin() + static_cast<std::ptrdiff_t>(place * n_words), n_words,
                  box.begin());
    }
    for (const Edge& edge : graph.of(node)) {
      std::uint32_t ends[2] = {Places::absent, Places::absent};
      const std::int64_t budget = places_.budget[place];
      const std::int64_t best_true = graph.best[edge.when_true];
      const std::int64_t best_false = graph.best[edge.when_false];
      Point share{0, 0};
      if (reachable_.has(graph, node, edge) && best_true + best_false <= budget) {
        share = measure->share(box.data(), edge.column);
        for (const bool is_one : {true, false}) {
          if (boxes) measure->cut(box.data(), edge.column, is_one, side.data());
          ends[is_one ? 0 : 1] = meet(is_one ? edge.when_true : edge.when_false, side,
                                      budget - (is_one ? best_false : best_true));
        }
      }
      places_.when_true.push_back(ends[0]);
      places_.when_false.push_back(ends[1]);
      places_.share.push_back(share);
    }
    meter.step(64);
    if (place % 256 == 0) {
      held.set(asked.size() * 8 + box_of.capacity() * 8 + placer.bytes() + places_.bytes());
    }
  }
  places_.edge_start.push_back(places_.when_true.size());
}

void Functions::place_on_rows(Meter& meter) {
  const Graph& graph = *graph_;
  const Rows& rows = graph.rows;
  const std::vector<Point> weight = row_weights(rows.n_rows);
  Words once(rows.n_words, 0);  // of each row one bit
  std::vector<std::uint8_t> seen(rows.n_rows, 0);
  for (std::size_t bit = 0; bit < rows.n_words * 64; ++bit) {
    if ((rows.all[bit / 64] >> (bit % 64) & 1U) == 0 || seen[rows.row_of_bit[bit]] != 0) continue;
    seen[rows.row_of_bit[bit]] = 1;
    once[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  const auto mass_of = [&](const Words& support, const std::uint64_t* column) {
    Point sum{0, 0};
    for (std::size_t w = 0; w < rows.n_words; ++w) {
      for (std::uint64_t rest = support[w] & once[w] & column[w]; rest != 0; rest &= rest - 1) {
        const std::size_t bit = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        sum = plus(sum, weight[rows.row_of_bit[bit]]);
      }
    }
    return sum;
  };
  if (!reachable_.has(0)) return;
  Placer placer(places_, 3);
  Held held(meter);
  std::vector<std::uint32_t> parent{0};
  std::vector<std::int32_t> literal{-1};  // 2 column + (is 0)
  const auto meet = [&](std::uint32_t node, const Point& mass, std::int64_t budget,
                        std::uint32_t from, std::size_t by) {
    const std::uint64_t key[3] = {node, mass[0], mass[1]};
    bool is_new = false;
    const std::uint32_t place = placer.meet(key, node, budget, is_new);
    if (is_new) {
      places_.mass.push_back(mass);
      if (place != 0) {
        parent.push_back(from);
        literal.push_back(static_cast<std::int32_t>(by));
      }
    }
    return place;
  };
  meet(0, mass_of(rows.all, rows.all.data()), view_.bound, 0, 0);
  Words support(rows.n_words);
  for (std::uint32_t place = 0; place < places_.size(); ++place) {
    const std::uint32_t node = places_.node[place];
    places_.edge_start.push_back(places_.when_true.size());
    const auto edges = graph.of(node);
    if (edges.empty()) continue;
    support = rows.all;
    for (std::uint32_t at = place; at != 0; at = parent[at]) {
      const std::uint64_t* column = rows.column(static_cast<std::size_t>(literal[at] / 2));
      const std::uint64_t flip = literal[at] % 2 == 0 ? 0 : ~std::uint64_t{0};
      for (std::size_t w = 0; w < rows.n_words; ++w) support[w] &= column[w] ^ flip;
    }
    for (const Edge& edge : edges) {
      const std::int64_t budget = places_.budget[place];
      const std::int64_t best_true = graph.best[edge.when_true];
      const std::int64_t best_false = graph.best[edge.when_false];
      std::uint32_t ends[2] = {Places::absent, Places::absent};
      if (reachable_.has(graph, node, edge) && best_true + best_false <= budget) {
        const Point on = mass_of(support, rows.column(edge.column));
        const Point off = minus(places_.mass[place], on);
        ends[0] = meet(edge.when_true, on, budget - best_false, place, 2 * edge.column);
        ends[1] = meet(edge.when_false, off, budget - best_true, place, 2 * edge.column + 1);
        meter.step(rows.n_words);
      }
      places_.when_true.push_back(ends[0]);
      places_.when_false.push_back(ends[1]);
    }
    if (place % 256 == 0) held.set(placer.bytes() + places_.bytes() + parent.size() * 8);
  }
  places_.edge_start.push_back(places_.when_true.size());
}

}  // namespace orderless::rashomon
