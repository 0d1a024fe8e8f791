#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/rashomon/functions.hpp"

namespace orderless::rashomon {

/// Builds trees of functions.
class FunctionTrees {
 public:
  FunctionTrees(const Functions& functions, Meter& meter)
      : functions_(functions),
        graph_(*functions.graph_),
        places_(functions.places_),
        meter_(meter) {}

  /// The smallest tree that was met first.
  void grow_smallest(std::uint32_t place, std::uint32_t number) {
    const Function& f = functions_.lists_[place][number];
    const std::uint32_t node = places_.node[place];
    if (f.leaves == 1) {
      out.add_leaf(graph_.label[node]);
      return;
    }
    const std::size_t edge = places_.edge_start[place] + f.edge;
    const std::size_t at = out.add_split(graph_.of(node)[f.edge].column);
    grow_smallest(places_.when_true[edge], f.on_true);
    out.begin_false(at);
    grow_smallest(places_.when_false[edge], f.on_false);
  }

  /// The tree at a position among those of one function with so many leaves.
  void grow(std::uint32_t place, std::uint32_t number, std::uint32_t leaves,
            std::uint64_t position) {
    const std::uint32_t node = places_.node[place];
    if (leaves == 1) {
      out.add_leaf(graph_.label[node]);
      return;
    }
    const std::vector<Way>& ways = ways_of(place, number, leaves);
    const auto after =
        std::upper_bound(ways.begin(), ways.end(), position,
                         [](std::uint64_t p, const Way& way) { return p < way.before; });
    const Way way = *(after - 1);
    const std::size_t edge = places_.edge_start[place] + way.edge;
    const std::uint64_t n_false =
        count(places_.when_false[edge], way.on_false, leaves - way.leaves_true);
    const std::uint64_t rest = position - way.before;
    const std::size_t at = out.add_split(graph_.of(node)[way.edge].column);
    grow(places_.when_true[edge], way.on_true, way.leaves_true, rest / n_false);
    out.begin_false(at);
    grow(places_.when_false[edge], way.on_false, leaves - way.leaves_true, rest % n_false);
  }

  /// How many trees of a function have so many leaves.
  [[nodiscard]] std::uint64_t count(std::uint32_t place, std::uint32_t number,
                                    std::uint32_t leaves) const {
    const Functions::Tally& tally = functions_.tallies_[place];
    const Function& f = functions_.lists_[place][number];
    if (leaves < f.leaves) return 0;
    const std::size_t at = tally.start[number] + leaves - f.leaves;
    return at < tally.start[number + 1] ? tally.trees[at] : 0;
  }

  FlatTrees out;

 private:
  /// One way to make the trees: a column, and a function with so many leaves on each side.
  struct Way {
    std::uint64_t before;
    std::uint32_t edge, on_true, on_false, leaves_true;
  };

  const std::vector<Way>& ways_of(std::uint32_t place, std::uint32_t number, std::uint32_t leaves) {
    const auto [found, is_new] = ways_.try_emplace({place, number, leaves});
    if (is_new) list(place, functions_.lists_[place][number], leaves, found->second);
    return found->second;
  }

  void list(std::uint32_t place, const Function& f, std::uint32_t leaves, std::vector<Way>& ways) {
    const auto edges = graph_.of(places_.node[place]);
    std::uint64_t before = 0;
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
      const std::size_t at = places_.edge_start[place] + e;
      if (places_.when_true[at] == Places::absent) continue;
      const std::uint64_t own = functions_.masks_[edges[e].column];
      const auto& on_true = functions_.lists_[places_.when_true[at]];
      const bool plain = places_.share.empty();
      const Point share = plain ? Point{1, 1} : places_.share[at];
      const Point rest = plain ? Point{1, 1} : minus({1, 1}, share);
      const Point back = plain ? Point{1, 1} : inverse(rest);
      meter_.step(on_true.size() * 4);
      for (std::uint32_t x = 0; x < on_true.size(); ++x) {
        const std::uint64_t asked = own | functions_.asked_.of(on_true[x].groups);
        const Point part =
            minus(f.value, plain ? on_true[x].value : times(share, on_true[x].value));
        partners(places_.when_false[at], part, rest, back, [&](std::uint32_t y) {
          const Function& other = functions_.lists_[places_.when_false[at]][y];
          if (!functions_.asks(place, f, asked | functions_.asked_.of(other.groups))) return;
          for (std::uint32_t l = on_true[x].leaves; l + other.leaves <= leaves; ++l) {
            if (!functions_.view_.trivial && leaves == 2 &&
                graph_.label[edges[e].when_true] == graph_.label[edges[e].when_false]) {
              continue;
            }
            const std::uint64_t n =
                count(places_.when_true[at], x, l) * count(places_.when_false[at], y, leaves - l);
            if (n == 0) continue;
            ways.push_back({before, e, x, y, l});
            before += n;
          }
        });
      }
    }
  }

  /// The functions of a place that weigh `part` = rest x value.
  template <class Use>
  void partners(std::uint32_t place, const Point& part, const Point& rest, const Point& back,
                Use&& use) {
    const std::vector<Function>& list = functions_.lists_[place];
    if (rest[0] == 0 || rest[1] == 0) {  // a side that no point of the space has
      for (std::uint32_t y = 0; y < list.size(); ++y) {
        if (times(list[y].value, rest) == part) use(y);
      }
      return;
    }
    auto [found, is_new] = by_value_.try_emplace(place);
    std::vector<std::pair<Point, std::uint32_t>>& sorted = found->second;
    if (is_new) {
      sorted.reserve(list.size());
      for (std::uint32_t y = 0; y < list.size(); ++y) sorted.emplace_back(list[y].value, y);
      std::sort(sorted.begin(), sorted.end());
    }
    const Point value = places_.share.empty() ? part : times(part, back);
    auto at = std::lower_bound(sorted.begin(), sorted.end(), std::pair{value, std::uint32_t{0}});
    for (; at != sorted.end() && at->first == value; ++at) use(at->second);
  }

  const Functions& functions_;
  const Graph& graph_;
  const Places& places_;
  Meter& meter_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<Way>> ways_;
  std::unordered_map<std::uint32_t, std::vector<std::pair<Point, std::uint32_t>>> by_value_;
};

FlatTrees Functions::trees(std::span<const std::int64_t> positions, Meter& meter) const {
  FunctionTrees trees(*this, meter);
  for (const std::int64_t position : positions) {
    trees.grow_smallest(0, static_cast<std::uint32_t>(position));
    trees.out.end_tree();
    meter.step(32);
  }
  return std::move(trees.out);
}

FlatTrees Functions::trees_of(std::size_t position, std::uint64_t start, std::uint64_t count,
                              Meter& meter) const {
  FunctionTrees trees(*this, meter);
  const auto number = static_cast<std::uint32_t>(position);
  const Function& f = lists_[0][position];
  std::uint64_t passed = 0;
  const Tally& tally = tallies_[0];
  const std::size_t n_sizes = tally.start[position + 1] - tally.start[position];
  for (std::uint32_t k = 0; k < n_sizes && count != 0; ++k) {
    const std::uint64_t n = tally.trees[tally.start[position] + k];
    while (count != 0 && start < passed + n) {
      trees.grow(0, number, f.leaves + k, start - passed);
      trees.out.end_tree();
      meter.step(32);
      ++start;
      --count;
    }
    passed += n;
  }
  return std::move(trees.out);
}

/// What functions say of rows, 64 rows at a time: per class but the first a bit set of the rows.
class Evaluator {
 public:
  Evaluator(const Functions& functions, std::span<const std::uint8_t> table, std::size_t n_rows)
      : functions_(functions),
        graph_(*functions.graph_),
        n_words_((n_rows + 63) / 64),
        n_columns_(graph_.rows.n_columns),
        n_masks_(graph_.rows.n_classes - 1),
        columns_(n_columns_ * n_words_, 0),
        stack_((static_cast<std::size_t>(graph_.depth) + 2) * n_words_, ~std::uint64_t{0}) {
    for (std::size_t r = 0; r < n_rows; ++r) {
      for (std::size_t j = 0; j < n_columns_; ++j) {
        if (table[r * n_columns_ + j] == 0) continue;
        columns_[j * n_words_ + r / 64] |= std::uint64_t{1} << (r % 64);
      }
    }
    for (std::size_t w = 0; w < n_words_; ++w) {
      const std::size_t left = n_rows - w * 64;
      if (left < 64) stack_[w] = (std::uint64_t{1} << left) - 1;
    }
  }

  [[nodiscard]] std::size_t n_words() const { return n_words_; }
  [[nodiscard]] std::size_t n_masks() const { return n_masks_; }

  /// Sets `out` (n_masks x n_words) for one function.
  void evaluate(std::size_t position, std::uint64_t* out) {
    std::fill(out, out + n_masks_ * n_words_, 0);
    walk(0, static_cast<std::uint32_t>(position), 0, out);
  }

 private:
  /// `level` of the stack holds the rows that come here.
  void walk(std::uint32_t place, std::uint32_t number, std::size_t level, std::uint64_t* out) {
    const Places& places = functions_.places_;
    const Function& f = functions_.lists_[place][number];
    const std::uint32_t node = places.node[place];
    const std::uint64_t* here = stack_.data() + level * n_words_;
    if (f.leaves == 1) {
      const std::int32_t label = graph_.label[node];
      if (label == 0) return;
      std::uint64_t* to = out + static_cast<std::size_t>(label - 1) * n_words_;
      for (std::size_t w = 0; w < n_words_; ++w) to[w] |= here[w];
      return;
    }
    const std::size_t edge = places.edge_start[place] + f.edge;
    const std::uint64_t* column = columns_.data() + graph_.of(node)[f.edge].column * n_words_;
    std::uint64_t* next = stack_.data() + (level + 1) * n_words_;
    for (std::size_t w = 0; w < n_words_; ++w) next[w] = here[w] & column[w];
    walk(places.when_true[edge], f.on_true, level + 1, out);
    for (std::size_t w = 0; w < n_words_; ++w) next[w] = here[w] & ~column[w];
    walk(places.when_false[edge], f.on_false, level + 1, out);
  }

  const Functions& functions_;
  const Graph& graph_;
  std::size_t n_words_, n_columns_, n_masks_;
  Words columns_;
  Words stack_;
};

namespace {

/// A counter per bit, kept as bit planes: adding a bit set costs about two operations per word.
class Tallies {
 public:
  explicit Tallies(std::size_t n_words) : n_words_(n_words) {}

  void add(const std::uint64_t* bits) {
    if (++added_ >> planes_.size() != 0) planes_.emplace_back(n_words_, 0);
    for (std::size_t w = 0; w < n_words_; ++w) {
      std::uint64_t carry = bits[w];
      for (std::size_t p = 0; carry != 0; ++p) {
        const std::uint64_t both = planes_[p][w] & carry;
        planes_[p][w] ^= carry;
        carry = both;
      }
    }
  }

  [[nodiscard]] std::int64_t of(std::size_t bit) const {
    std::int64_t n = 0;
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      n |= static_cast<std::int64_t>(planes_[p][bit / 64] >> (bit % 64) & 1U) << p;
    }
    return n;
  }

 private:
  std::size_t n_words_;
  std::uint64_t added_ = 0;
  std::vector<Words> planes_;
};

}  // namespace

std::vector<std::int64_t> Functions::votes(std::span<const std::uint8_t> table, std::size_t n_rows,
                                           Meter& meter) const {
  Evaluator evaluator(*this, table, n_rows);
  const std::size_t n_words = evaluator.n_words(), n_masks = evaluator.n_masks();
  std::vector<Tallies> tallies(n_masks, Tallies(n_words));
  Words said(n_masks * n_words);
  for (std::size_t i = 0; i < n(); ++i) {
    evaluator.evaluate(i, said.data());
    for (std::size_t m = 0; m < n_masks; ++m) tallies[m].add(said.data() + m * n_words);
    meter.step(8 * n_words + 16);
  }
  const std::size_t n_classes = n_masks + 1;
  std::vector<std::int64_t> out(n_rows * n_classes, 0);
  for (std::size_t r = 0; r < n_rows; ++r) {
    out[r * n_classes] = static_cast<std::int64_t>(n());
    for (std::size_t m = 0; m < n_masks; ++m) {
      out[r * n_classes + m + 1] = tallies[m].of(r);
      out[r * n_classes] -= tallies[m].of(r);
    }
  }
  return out;
}

}  // namespace orderless::rashomon
