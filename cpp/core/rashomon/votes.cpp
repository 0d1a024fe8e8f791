#include "core/rashomon/functions.hpp"

namespace orderless::rashomon {

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
