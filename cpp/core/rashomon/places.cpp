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

/// Where an edge leads to, and the share of its true side.
struct Ends {
  std::uint32_t on_true = Places::absent, on_false = Places::absent;
  Point share{0, 0};
};

/// Goes through the places as they are met, from the root on, and hangs the sides of every edge
/// that the view has: `sides(place, edge, most_true, most_false)` meets them, within these budgets.
/// `enter(place)` is called before.
template <class Enter, class Sides>
void hang_all(const Graph& graph, const Reachable& reachable, Places& places, bool shares,
              Enter&& enter, Sides&& sides) {
  for (std::uint32_t place = 0; place < places.size(); ++place) {
    const std::uint32_t node = places.node[place];
    places.edge_start.push_back(places.when_true.size());
    enter(place);
    for (const Edge& edge : graph.of(node)) {
      const std::int64_t budget = places.budget[place];
      const std::int64_t best_true = graph.best[edge.when_true];
      const std::int64_t best_false = graph.best[edge.when_false];
      Ends ends;
      if (reachable.has(graph, node, edge) && best_true + best_false <= budget) {
        ends = sides(place, edge, budget - best_false, budget - best_true);
      }
      places.when_true.push_back(ends.on_true);
      places.when_false.push_back(ends.on_false);
      if (shares) places.share.push_back(ends.share);
    }
  }
  places.edge_start.push_back(places.when_true.size());
}

/// The bins of the features that are asked below each node.
Words bins_asked(const Graph& graph, const Reachable& reachable, const SpaceMeasure& measure) {
  const std::size_t n_words = measure.n_words();
  Words asked(graph.n_nodes() * n_words, 0);
  for (std::uint32_t node = graph.level_start.back(); node-- > 0;) {
    if (!reachable.has(node)) continue;
    for (const Edge& edge : graph.of(node)) {
      if (!reachable.has(graph, node, edge)) continue;
      const std::uint64_t* own = measure.feature_bins(edge.column);
      for (std::size_t w = 0; w < n_words; ++w) {
        asked[node * n_words + w] |=
            own[w] | asked[edge.when_true * n_words + w] | asked[edge.when_false * n_words + w];
      }
    }
  }
  return asked;
}

}  // namespace

std::size_t Places::bytes() const {
  return size() * 20 + mass.size() * 16 + when_true.size() * 8 + share.size() * 16;
}

/// Leaves come before all of their parents' other levels are done, so places are numbered as they
/// are met: a child always after its parents, because an inner node of the graph has one level.
void Functions::place_all(SpaceMeasure* measure, Meter& meter) {
  if (!reachable_.has(0)) return;
  const Graph& graph = *graph_;
  const std::size_t n_words = measure->n_words();
  const bool boxes = !measure->independent();
  const Words asked = boxes ? bins_asked(graph, reachable_, *measure) : Words();
  Placer placer(places_, 1 + (boxes ? n_words : 0));
  Held held(meter);
  Words key(1 + n_words), box_of;  // boxes of all places, one after the other
  Words box(n_words), side(n_words);
  const auto meet = [&](std::uint32_t node, const Words& inside, std::int64_t budget) {
    key[0] = node;
    if (boxes) {
      for (std::size_t w = 0; w < n_words; ++w) key[1 + w] = inside[w] & asked[node * n_words + w];
    }
    bool is_new = false;
    const std::uint32_t place = placer.meet(key.data(), node, budget, is_new);
    if (is_new && boxes) box_of.insert(box_of.end(), key.begin() + 1, key.end());
    return place;
  };
  const auto enter = [&](std::uint32_t place) {
    meter.step(64);
    if (place % 256 == 0) {
      held.set(asked.size() * 8 + box_of.capacity() * 8 + placer.bytes() + places_.bytes());
    }
    if (!boxes) return;
    std::copy_n(box_of.begin() + static_cast<std::ptrdiff_t>(place * n_words), n_words,
                box.begin());
  };
  const auto sides = [&](std::uint32_t, const Edge& edge, std::int64_t most_true,
                         std::int64_t most_false) {
    Ends ends;
    ends.share = measure->share(box.data(), edge.column);
    if (boxes) measure->cut(box.data(), edge.column, true, side.data());
    ends.on_true = meet(edge.when_true, side, most_true);
    if (boxes) measure->cut(box.data(), edge.column, false, side.data());
    ends.on_false = meet(edge.when_false, side, most_false);
    return ends;
  };
  meet(0, measure->whole(), view_.bound);
  hang_all(graph, reachable_, places_, true, enter, sides);
}

void Functions::place_on_rows(Meter& meter) {
  if (!reachable_.has(0)) return;
  const Graph& graph = *graph_;
  const Rows& rows = graph.rows;
  const std::vector<Point> weight = row_weights(rows.n_rows);
  const Words once = one_bit_each(rows);
  Words some(rows.n_words);
  const auto mass_of = [&](const Words& support, const std::uint64_t* column) {
    for (std::size_t w = 0; w < rows.n_words; ++w) some[w] = support[w] & once[w] & column[w];
    Point sum{0, 0};
    each_bit(some, [&](std::size_t bit) { sum = plus(sum, weight[rows.row_of_bit[bit]]); });
    return sum;
  };
  Placer placer(places_, 3);
  Held held(meter);
  std::vector<std::uint32_t> parent{0};
  std::vector<std::int32_t> literal{-1};  // 2 column + (is 0)
  const auto meet = [&](std::uint32_t node, const Point& mass, std::int64_t budget,
                        std::uint32_t from, std::size_t by) {
    const std::uint64_t key[3] = {node, mass[0], mass[1]};
    bool is_new = false;
    const std::uint32_t place = placer.meet(key, node, budget, is_new);
    if (is_new) places_.mass.push_back(mass);
    if (is_new && place != 0) {
      parent.push_back(from);
      literal.push_back(static_cast<std::int32_t>(by));
    }
    return place;
  };
  Words support(rows.n_words);
  const auto enter = [&](std::uint32_t place) {
    if (place % 256 == 0) held.set(placer.bytes() + places_.bytes() + parent.size() * 8);
    if (graph.of(places_.node[place]).empty()) return;
    support = rows.all;
    for (std::uint32_t up = place; up != 0; up = parent[up]) {
      const std::uint64_t* column = rows.column(static_cast<std::size_t>(literal[up] / 2));
      const std::uint64_t flip = literal[up] % 2 == 0 ? 0 : ~std::uint64_t{0};
      for (std::size_t w = 0; w < rows.n_words; ++w) support[w] &= column[w] ^ flip;
    }
  };
  const auto sides = [&](std::uint32_t place, const Edge& edge, std::int64_t most_true,
                         std::int64_t most_false) {
    const Point on = mass_of(support, rows.column(edge.column));
    const Point off = minus(places_.mass[place], on);
    meter.step(rows.n_words);
    Ends ends;
    ends.on_true = meet(edge.when_true, on, most_true, place, 2 * edge.column);
    ends.on_false = meet(edge.when_false, off, most_false, place, 2 * edge.column + 1);
    return ends;
  };
  meet(0, mass_of(rows.all, rows.all.data()), view_.bound, 0, 0);
  hang_all(graph, reachable_, places_, false, enter, sides);
}

}  // namespace orderless::rashomon
