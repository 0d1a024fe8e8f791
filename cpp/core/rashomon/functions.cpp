#include "core/rashomon/functions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/hash.hpp"
#include "core/rashomon/best.hpp"

namespace orderless::rashomon {

namespace {

/// Sorts one cell; `room` and `start` are used in between.
void sort_cell(Standing* begin, std::size_t n, const std::vector<Function>& functions,
               std::vector<Standing>& room, std::vector<std::uint32_t>& start) {
  const auto before = [&](const Standing& a, const Standing& b) {
    if (a.value != b.value) return a.value < b.value;
    const Function& f = functions[a.number];
    const Function& g = functions[b.number];
    return f.value[1] != g.value[1] ? f.value[1] < g.value[1] : f.groups < g.groups;
  };
  if (n < 64) {
    std::sort(begin, begin + n, before);
    return;
  }
  // Values are below 2^61: about four of them in each piece.
  const auto bits = static_cast<std::size_t>(std::bit_width(n / 4));
  const auto piece = [&](const Standing& each) { return each.value >> (61 - bits); };
  start.assign((std::size_t{1} << bits) + 1, 0);
  for (std::size_t i = 0; i < n; ++i) ++start[piece(begin[i]) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  room.assign(begin, begin + n);
  for (const Standing& each : room) begin[start[piece(each)]++] = each;
  std::uint32_t from = 0;  // a piece now starts where the one before it ends
  for (std::size_t p = 0; p + 1 < start.size(); from = start[p++]) {
    if (start[p] - from > 1) std::sort(begin + from, begin + start[p], before);
  }
}

std::vector<Standing> by_comparing(const std::vector<Function>& functions, const Costs& costs) {
  std::vector<Standing> out(functions.size());
  for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = {functions[i].value[0], i};
  std::sort(out.begin(), out.end(), [&](const Standing& a, const Standing& b) {
    const Function& f = functions[a.number];
    const Function& g = functions[b.number];
    const std::int64_t cost_f = costs.of(f.errors, f.leaves);
    const std::int64_t cost_g = costs.of(g.errors, g.leaves);
    if (cost_f != cost_g) return cost_f < cost_g;
    if (f.leaves != g.leaves) return f.leaves < g.leaves;
    return f.value != g.value ? f.value < g.value : f.groups < g.groups;
  });
  return out;
}

}  // namespace

std::vector<Standing> in_order(const std::vector<Function>& functions, const Costs& costs) {
  std::vector<Standing> out(functions.size());
  if (functions.empty()) return out;
  // Numbers of cells: by errors and leaves where that is a small table, else as they sort.
  struct Cell {
    std::int64_t cost;
    std::int64_t errors;
    std::uint32_t leaves;
    std::uint32_t n;
  };
  std::int64_t low = functions[0].errors, high = low;
  std::uint32_t most = 0;
  for (const Function& f : functions) {
    low = std::min(low, f.errors);
    high = std::max(high, f.errors);
    most = std::max<std::uint32_t>(most, f.leaves);
  }
  const auto width = static_cast<std::size_t>(most) + 1;
  const bool small = static_cast<std::uint64_t>(high - low) < (functions.size() + 64) / width;
  if (!small) return by_comparing(functions, costs);
  const auto at = [&](std::int64_t errors, std::uint32_t leaves) {
    return static_cast<std::size_t>(errors - low) * width + leaves;
  };
  std::vector<std::uint32_t> start(static_cast<std::size_t>(high - low + 1) * width, 0);
  for (const Function& f : functions) ++start[at(f.errors, f.leaves)];
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (start[i] == 0) continue;
    const std::int64_t errors = low + static_cast<std::int64_t>(i / width);
    const auto leaves = static_cast<std::uint32_t>(i % width);
    cells.push_back({costs.of(errors, leaves), errors, leaves, start[i]});
  }
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.leaves < b.leaves;
  });
  std::uint32_t before = 0;
  for (const Cell& cell : cells) {
    start[at(cell.errors, cell.leaves)] = before;
    before += cell.n;
  }
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const Function& f = functions[i];
    out[start[at(f.errors, f.leaves)]++] = {f.value[0], i};
  }
  std::vector<Standing> room;
  std::vector<std::uint32_t> pieces;
  Standing* begin = out.data();
  for (const Cell& cell : cells) {
    sort_cell(begin, cell.n, functions, room, pieces);
    begin += cell.n;
  }
  return out;
}

/// The functions that splits at a place make of the functions of their sides, within its budget.
/// Leaves are not among them.
template <class Use>
class FunctionProducts {
 public:
  /// `use(functions, n)` is called with some at a time, and may be handed a function several times.
  FunctionProducts(Functions& functions, std::uint32_t place, const Residue& residue, Meter& meter,
                   Use use)
      : functions_(functions),
        places_(functions.places_),
        place_(place),
        budget_(places_.budget[place]),
        most_leaves_(functions.most_leaves(place)),
        some_(residue.bits > 0),
        residue_(residue.value),
        low_(residue.low()),
        meter_(meter),
        use_(use) {}

  void run() {
    const auto edges = functions_.graph().of(places_.node[place_]);
    for (edge_ = 0; edge_ < edges.size(); ++edge_) {
      if (!read_sides()) continue;
      const Edge& edge = edges[edge_];
      const Graph& graph = functions_.graph();
      same_ = graph.label[edge.when_true] == graph.label[edge.when_false];
      groups_ = functions_.masks_[edge.column];
      some_ ? join_some() : join_all();
    }
    if (n_ != 0) use_(batch_.data(), n_);
  }

 private:
  struct Side {
    Point value;
    std::int64_t cost, errors;
    std::uint64_t groups;
    std::uint32_t number;
    std::uint16_t leaves;
  };

  /// Whether both sides of the edge have functions.
  bool read_sides() {
    const std::size_t at = places_.edge_start[place_] + edge_;
    if (places_.when_true[at] == Places::absent) return false;
    if (places_.share.empty()) {
      read(places_.when_true[at], nullptr, on_true_);
      read(places_.when_false[at], nullptr, on_false_);
    } else {
      const Point rest = minus({1, 1}, places_.share[at]);
      read(places_.when_true[at], &places_.share[at], on_true_);
      read(places_.when_false[at], &rest, on_false_);
    }
    return !on_true_.empty() && !on_false_.empty();
  }

  void read(std::uint32_t place, const Point* scale, std::vector<Side>& out) const {
    const std::vector<Function>& list = functions_.lists_[place];
    out.clear();
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      const Function& f = list[i];
      out.push_back({scale == nullptr ? f.value : times(f.value, *scale), functions_.cost(f),
                     f.errors, functions_.asked_.of(f.groups), i, f.leaves});
    }
  }

  void join_all() {
    for (const Side& x : on_true_) {
      if (x.cost + on_false_.front().cost > budget_) break;
      std::size_t steps = 0;
      for (const Side& y : on_false_) {
        if (x.cost + y.cost > budget_) break;
        join(x, y);
        ++steps;
      }
      meter_.step(2 * steps + 2);
    }
  }

  /// By the low bits, then by cost. 2^61 - 1 is -1 modulo 2^bits, so a sum that wraps moves by 1.
  void join_some() {
    const auto bits = [this](const Side& side) { return side.value[0] & low_; };
    std::stable_sort(on_false_.begin(), on_false_.end(),
                     [&](const Side& a, const Side& b) { return bits(a) < bits(b); });
    bucket_.assign(low_ + 2, 0);
    for (const Side& y : on_false_) ++bucket_[bits(y) + 1];
    for (std::size_t b = 0; b <= low_; ++b) bucket_[b + 1] += bucket_[b];
    for (const Side& x : on_true_) {
      std::size_t steps = 0;
      for (const std::uint64_t wrap : {0U, 1U}) {
        const std::uint64_t b = (residue_ - x.value[0] - wrap) & low_;
        for (std::size_t i = bucket_[b]; i < bucket_[b + 1]; ++i) {
          const Side& y = on_false_[i];
          if (x.cost + y.cost > budget_) break;
          ++steps;
          if ((Field::add(x.value[0], y.value[0]) & low_) != residue_) continue;
          join(x, y);
        }
      }
      meter_.step(2 * steps + 2);
    }
  }

  void join(const Side& x, const Side& y) {
    if (x.leaves + y.leaves > most_leaves_) return;
    if (!functions_.view_.trivial && same_ && x.leaves + y.leaves == 2) return;
    const auto groups = functions_.number_of(place_, x.groups | y.groups | groups_);
    if (!groups) return;
    Function& f = batch_[n_++];
    f.value = plus(x.value, y.value);
    f.errors = x.errors + y.errors;
    f.edge = edge_;
    f.on_true = x.number;
    f.on_false = y.number;
    f.leaves = static_cast<std::uint16_t>(x.leaves + y.leaves);
    f.groups = *groups;
    if (n_ < batch_.size()) return;
    use_(batch_.data(), n_);
    n_ = 0;
  }

  Functions& functions_;
  const Places& places_;
  std::uint32_t place_;
  std::int64_t budget_, most_leaves_;
  bool some_;  // only the functions of a residue
  std::uint64_t residue_, low_;
  Meter& meter_;
  Use use_;

  // The edge at hand.
  std::uint32_t edge_ = 0;
  bool same_ = false;  // whether both sides say the same as leaves
  std::uint64_t groups_ = 0;
  std::vector<Side> on_true_, on_false_;
  std::vector<std::size_t> bucket_;

  std::array<Function, 64> batch_;
  std::size_t n_ = 0;
};

/// Functions by value: a list, and slots that point into it. A slot holds half of the second field
/// element, so that a function that is new is seldom compared with one that is not it.
class FunctionTable {
 public:
  FunctionTable() { clear(0); }

  void clear(std::size_t expected) {
    list.clear();
    const std::size_t n = std::bit_ceil(std::max<std::size_t>(16, expected * 2));
    slots_.assign(n, 0);
    shift_ = 64 - std::countr_zero(n);
  }

  /// Takes over functions that differ from each other, to be found by `find`.
  void index(const std::vector<Function>& functions) {
    clear(functions.size());
    point_at(functions);
  }

  void prefetch(const Point& value, std::uint16_t groups) const {
    orderless::prefetch(&slots_[slot(value, groups)]);
  }

  /// The number of a function in `functions`, the list that was indexed; -1 if there is none.
  [[nodiscard]] std::int64_t find(const std::vector<Function>& functions, const Point& value,
                                  std::uint16_t groups) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = slot(value, groups); slots_[at] != 0; at = (at + 1) & mask) {
      if (slots_[at] >> 32U != (value[1] & 0xffffffffU)) continue;
      const std::size_t i = (slots_[at] & 0xffffffffU) - 1;
      if (equal(functions[i].value, value) && functions[i].groups == groups) {
        return static_cast<std::int64_t>(i);
      }
    }
    return -1;
  }

  /// Adds a function, or keeps the smaller tree of one that is there.
  void add(const Function& function) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = slot(function.value, function.groups);
    for (; slots_[at] != 0; at = (at + 1) & mask) {
      if (slots_[at] >> 32U != (function.value[1] & 0xffffffffU)) continue;
      Function& known = list[(slots_[at] & 0xffffffffU) - 1];
      if (!equal(known.value, function.value) || known.groups != function.groups) continue;
      if (function.leaves < known.leaves) known = function;
      return;
    }
    slots_[at] = word(function.value, list.size());
    list.push_back(function);
    if (list.size() * 2 > slots_.size()) {
      slots_.assign(slots_.size() * 2, 0);
      --shift_;
      point_at(list);
    }
  }

  [[nodiscard]] std::size_t bytes() const {
    return slots_.capacity() * 8 + list.capacity() * sizeof(Function);
  }

  std::vector<Function> list;

 private:
  void point_at(const std::vector<Function>& functions) {
    for (std::size_t i = 0; i < functions.size(); ++i) {
      std::size_t at = slot(functions[i].value, functions[i].groups);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = word(functions[i].value, i);
    }
  }
  [[nodiscard]] std::size_t slot(const Point& value, std::uint16_t groups) const {
    const std::uint64_t h = (value[0] + groups * 0xd1b54a32d192ed03U) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(h >> shift_);
  }
  [[nodiscard]] static std::uint64_t word(const Point& value, std::size_t i) {
    return (value[1] & 0xffffffffU) << 32U | static_cast<std::uint64_t>(i + 1);
  }

  std::vector<std::uint64_t> slots_;
  int shift_ = 60;
};

/// Values alone, to count them: in the slots themselves, so that each costs one look at memory.
class PointSet {
 public:
  PointSet() : slots_(64, empty) {}

  /// Whether to grow before `n` more are added.
  [[nodiscard]] bool full(std::size_t n) const { return 3 * (size_ + n) > 2 * slots_.size(); }
  void grow() {
    std::vector<Point> old(2 * slots_.size(), empty);
    old.swap(slots_);
    --shift_;
    size_ = 0;
    for (const Point& value : old) {
      if (value[0] != empty[0]) add(value);
    }
  }
  void prefetch(const Point& value) const { orderless::prefetch(&slots_[slot(value)]); }
  void add(const Point& value) {
    std::size_t at = slot(value);
    for (; slots_[at][0] != empty[0]; at = (at + 1) & (slots_.size() - 1)) {
      if (equal(slots_[at], value)) return;
    }
    slots_[at] = value;
    ++size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return slots_.size() * sizeof(Point); }

 private:
  static constexpr Point empty{~std::uint64_t{0}, ~std::uint64_t{0}};  // no field element
  [[nodiscard]] std::size_t slot(const Point& value) const {
    return static_cast<std::size_t>(value[0] * 0x9e3779b97f4a7c15U >> shift_);
  }

  std::vector<Point> slots_;
  std::size_t size_ = 0;
  int shift_ = 58;
};

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

Functions::Functions(std::shared_ptr<const Graph> graph, View view, SpaceMeasure* measure,
                     LabelValues label_values, const Options& options, Meter& meter)
    : graph_(std::move(graph)),
      view_(std::move(view)),
      masks_(view_.masks(graph_->rows.n_columns)),
      asked_(view_),
      reachable_(*graph_, view_),
      label_values_(std::move(label_values)),
      listed_(options.listed) {
  if (reachable_.max_leaves(0) > std::numeric_limits<std::uint16_t>::max()) {
    throw TooManyLeaves();
  }
  require_written(*graph_);
  const std::size_t before = meter.held();
  if (measure != nullptr) {
    place_all(measure, meter);
  } else {
    place_on_rows(meter);
  }
  Held held(meter);
  std::size_t bytes = places_.bytes() + places_.size() * sizeof(std::vector<Function>);
  if (listed_) bytes += places_.size() * sizeof(Tally);
  held.set(bytes);
  lists_.resize(std::max<std::size_t>(places_.size(), 1));
  if (listed_) tallies_.resize(lists_.size());
  const auto finish = [&](std::uint32_t place) {
    if (place == 0 && !listed_) return count_root(options, meter);
    fill(place, options, meter);
    bytes += lists_[place].size() * sizeof(Function);
    held.set(bytes);
    if (!listed_) return;
    tally(place, place == 0 ? options.residue : Residue{}, meter);
    bytes += tallies_[place].start.size() * 8 + tallies_[place].trees.size() * 16;
    held.set(bytes);
  };
  // Leaves first: they are shared by places of several levels.
  for (const bool leaves : {true, false}) {
    for (auto place = static_cast<std::uint32_t>(places_.size()); place-- > 0;) {
      if (graph_->of(places_.node[place]).empty() == leaves) finish(place);
    }
  }
  if (listed_) n_ = lists_[0].size();
  bytes_ = meter.held() - before;
}

std::int64_t Functions::most_leaves(std::uint32_t place) const {
  return reachable_.max_leaves(places_.node[place]);
}

std::int64_t Functions::most_leaves(std::uint32_t place, std::int64_t errors) const {
  const Costs& costs = graph_->costs;
  const std::int64_t most = most_leaves(place);
  if (costs.leaf == 0) return most;
  return std::min(most, (places_.budget[place] - costs.error * errors) / costs.leaf);
}

std::optional<Function> Functions::leaf_at(std::uint32_t place, const Options& options) const {
  const std::uint32_t node = places_.node[place];
  if (graph_->leaf_cost(node) > places_.budget[place] || most_leaves(place) < 1) return {};
  Function leaf;
  leaf.value = label_values_.of(graph_->label[node]);
  if (!places_.mass.empty()) leaf.value = times(leaf.value, places_.mass[place]);
  leaf.errors = graph_->errors[node];
  leaf.leaves = 1;
  if (place != 0) return leaf;
  if (!view_.fits(0)) return {};
  if ((leaf.value[0] & options.residue.low()) != options.residue.value) return {};
  return leaf;
}

void Functions::fill(std::uint32_t place, const Options& options, Meter& meter) {
  const Graph& graph = *graph_;
  const bool is_root = place == 0;
  const Residue residue = is_root ? options.residue : Residue{};
  FunctionTable table;
  Held held(meter);
  if (const auto leaf = leaf_at(place, options)) table.add(*leaf);
  std::size_t known = table.bytes();
  held.set(known);
  const auto check_limit = [&] {
    if (table.list.size() <= options.limit) return;
    throw TooMany(table.list.size());
  };
  if (is_root) check_limit();
  FunctionProducts(*this, place, residue, meter, [&](const Function* batch, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) table.prefetch(batch[i].value, batch[i].groups);
    for (std::size_t i = 0; i < n; ++i) table.add(batch[i]);
    if (table.bytes() != known) held.set(known = table.bytes());
    if (is_root) check_limit();
    if (table.list.size() >= 0xfffffff0U) throw MemoryLimit(meter.limit());
  }).run();
  held.set(known + table.list.size() * (order_bytes + sizeof(Function)));
  std::vector<Function>& list = lists_[place];
  list.reserve(table.list.size());
  for (const Standing& each : in_order(table.list, graph.costs)) {
    list.push_back(table.list[each.number]);
  }
}

void Functions::count_root(const Options& options, Meter& meter) {
  PointSet values;
  Held held(meter);
  const auto check_limit = [&] {
    if (values.size() <= options.limit) return;
    throw TooMany(values.size());
  };
  if (const auto leaf = leaf_at(0, options)) values.add(leaf->value);
  check_limit();
  FunctionProducts(*this, 0, options.residue, meter, [&](const Function* batch, std::size_t n) {
    while (values.full(n)) {
      held.set(3 * values.bytes());  // the old and the new
      values.grow();
    }
    for (std::size_t i = 0; i < n; ++i) values.prefetch(batch[i].value);
    for (std::size_t i = 0; i < n; ++i) values.add(batch[i].value);
    check_limit();
  }).run();
  n_ = values.size();
}

namespace {

void add_product(std::uint64_t& to, std::uint64_t a, std::uint64_t b) {
  const FullProduct product = full_product(a, b);
  to += product.low;
  if (product.high != 0 || to < product.low) throw CountOverflow("trees of one function", 64);
}

}  // namespace

void Functions::tally(std::uint32_t place, const Residue& residue, Meter& meter) {
  const std::vector<Function>& list = lists_[place];
  Tally& own = tallies_[place];
  own.start.reserve(list.size() + 1);
  std::size_t size = 0;
  for (const Function& f : list) {
    own.start.push_back(size);
    size += static_cast<std::size_t>(most_leaves(place, f.errors) - f.leaves + 1);
  }
  own.start.push_back(size);
  Held held(meter);
  held.set(size * 16 + own.start.size() * 8);
  own.trees.assign(size, 0);
  own.nontrivial.assign(size, 0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].leaves == 1) own.trees[own.start[i]] = own.nontrivial[own.start[i]] = 1;
  }
  if (graph_->of(places_.node[place]).empty()) return;
  FunctionTable table;
  table.index(list);
  FunctionProducts(*this, place, residue, meter, [&](const Function* batch, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) table.prefetch(batch[i].value, batch[i].groups);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t found = table.find(list, batch[i].value, batch[i].groups);
      if (found >= 0) tally(place, batch[i], static_cast<std::size_t>(found));
    }
  }).run();
  if (place != 0) return;
  for (std::size_t i = 0; i < list.size(); ++i) static_cast<void>(n_trees(i));  // fit 64 bits
}

void Functions::tally(std::uint32_t place, const Function& split, std::size_t position) {
  Tally& own = tallies_[place];
  const std::size_t at = places_.edge_start[place] + split.edge;
  const Tally& a = tallies_[places_.when_true[at]];
  const Tally& b = tallies_[places_.when_false[at]];
  const std::size_t a_start = a.start[split.on_true];
  const std::size_t b_start = b.start[split.on_false];
  const std::size_t begin = own.start[position];
  const std::size_t n = own.start[position + 1] - begin;
  const auto shift = static_cast<std::size_t>(split.leaves - lists_[place][position].leaves);
  const Edge& edge = graph_->of(places_.node[place])[split.edge];
  const bool same =
      split.leaves == 2 && graph_->label[edge.when_true] == graph_->label[edge.when_false];
  for (std::size_t k = a_start; k < a.start[split.on_true + 1]; ++k) {
    for (std::size_t l = b_start; l < b.start[split.on_false + 1]; ++l) {
      const std::size_t to = shift + (k - a_start) + (l - b_start);
      if (to >= n) break;
      // Of a pair of leaves only the smallest trees are the leaves themselves.
      const bool is_trivial = same && k == a_start && l == b_start;
      if (is_trivial && !view_.trivial) continue;
      add_product(own.trees[begin + to], a.trees[k], b.trees[l]);
      if (is_trivial) continue;
      add_product(own.nontrivial[begin + to], a.nontrivial[k], b.nontrivial[l]);
    }
  }
}

std::uint64_t Functions::sum(const std::vector<std::uint64_t>& counts, std::size_t position) const {
  const Tally& root = tallies_[0];
  std::uint64_t n = 0;
  for (std::size_t i = root.start[position]; i < root.start[position + 1]; ++i) {
    add_product(n, counts[i], 1);
  }
  return n;
}

std::uint64_t Functions::n_trees(std::size_t position) const {
  return sum(tallies_[0].trees, position);
}

std::uint64_t Functions::n_nontrivial(std::size_t position) const {
  return sum(tallies_[0].nontrivial, position);
}

}  // namespace orderless::rashomon
