#include "core/importance/permuted.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "core/base/bits.hpp"
#include "core/base/errors.hpp"
#include "core/base/hash.hpp"

namespace orderless::importance {

namespace {

using Literal = std::uint32_t;  // 2 x column + value
using Literals = std::vector<Literal>;
using Bits = std::vector<std::uint64_t>;

constexpr std::int64_t most_weight = 3'037'000'499;  // its square is below 2^63

/// Distinct rows over the columns that the trees ask about, as bits; rows of one class fill whole
/// words, so that the classes of a box are sums over ranges of words.
template <class Weight>
class Table {
 public:
  Table(const BinaryRows& rows, std::span<const Weight> weight, std::span<const char> used)
      : n_classes_(rows.n_classes) {
    const std::size_t n_columns = used.size();
    std::vector<std::size_t> asked;
    for (std::size_t j = 0; j < n_columns; ++j) {
      if (used[j] != 0) asked.push_back(j);
    }
    const std::size_t width = (asked.size() + 63) / 64;
    std::vector<std::uint32_t> order;
    Bits packed(rows.label.size() * width, 0);
    for (std::size_t r = 0; r < rows.label.size(); ++r) {
      if (weight[r] == 0) continue;
      order.push_back(static_cast<std::uint32_t>(r));
      for (std::size_t k = 0; k < asked.size(); ++k) {
        if (rows.cells[r * n_columns + asked[k]] != 0) {
          packed[r * width + k / 64] |= std::uint64_t{1} << (k % 64);
        }
      }
    }
    const auto compare = [&](std::uint32_t a, std::uint32_t b) {
      if (rows.label[a] != rows.label[b]) return rows.label[a] < rows.label[b] ? -1 : 1;
      for (std::size_t w = 0; w < width; ++w) {
        const std::uint64_t x = packed[a * width + w];
        const std::uint64_t y = packed[b * width + w];
        if (x != y) return x < y ? -1 : 1;
      }
      return 0;
    };
    // Equal rows stay in their order, so that sums of doubles do not depend on the sort.
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int which = compare(a, b);
      return which != 0 ? which < 0 : a < b;
    });
    std::vector<std::uint32_t> place;  // of the first of equal rows
    first_word_.assign(n_classes_ + 1, 0);
    std::size_t label = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && compare(order[i - 1], order[i]) == 0) {
        weight_[place.back()] += weight[order[i]];
        continue;
      }
      for (; label < static_cast<std::size_t>(rows.label[order[i]]); ++label) {
        weight_.resize((weight_.size() + 63) / 64 * 64, 0);
        first_word_[label + 1] = weight_.size() / 64;
      }
      place.push_back(static_cast<std::uint32_t>(weight_.size()));
      weight_.push_back(weight[order[i]]);
      distinct_.push_back(order[i]);
    }
    weight_.resize((weight_.size() + 63) / 64 * 64, 0);
    for (; label < n_classes_; ++label) first_word_[label + 1] = weight_.size() / 64;
    set_bits(rows, asked, n_columns, place);
    if constexpr (std::is_integral_v<Weight>) slice_weights();
  }

  /// The weight of the rows in a box by class; without literals all rows are in it.
  void weigh(const Literals& box, Weight* out) {
    both_.assign(weight_.size() / 64, ~std::uint64_t{0});
    for (const Literal literal : box) {
      const Bits& own = bits_[literal];
      for (std::size_t w = 0; w < both_.size(); ++w) both_[w] &= own[w];
    }
    for (std::size_t c = 0; c < n_classes_; ++c) {
      Weight sum = 0;
      for (std::size_t w = first_word_[c]; w < first_word_[c + 1]; ++w) sum += weigh(w);
      out[c] = sum;
    }
  }

 private:
  /// Sets, for every column asked about and either value, the bits of the rows that have it.
  void set_bits(const BinaryRows& rows, std::span<const std::size_t> asked, std::size_t n_columns,
                std::span<const std::uint32_t> place) {
    bits_.resize(2 * n_columns);
    for (const std::size_t j : asked) {
      for (const std::size_t value : {0U, 1U}) {
        Bits& own = bits_[2 * j + value];
        own.assign(weight_.size() / 64, 0);
        for (std::size_t i = 0; i < place.size(); ++i) {
          if ((rows.cells[distinct_[i] * n_columns + j] != 0) == (value == 1)) {
            own[place[i] / 64] |= std::uint64_t{1} << (place[i] % 64);
          }
        }
      }
    }
  }

  [[nodiscard]] Weight weigh(std::size_t word) const {
    Weight sum = 0;
    std::uint64_t bits = both_[word];
    if constexpr (std::is_integral_v<Weight>) {
      for (std::size_t p = 0; p < planes_.size(); ++p) {
        sum += static_cast<Weight>(std::popcount(bits & planes_[p][word])) << p;
      }
    } else {
      for (; bits != 0; bits &= bits - 1) {
        sum += weight_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      }
    }
    return sum;
  }

  /// Plane p has the bits of value 2^p of all weights.
  void slice_weights() {
    Weight all = 0;
    for (const Weight weight : weight_) all |= weight;
    const auto n = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(all)));
    planes_.assign(n, Bits(weight_.size() / 64, 0));
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      for (std::size_t p = 0; p < n; ++p) {
        const auto bit = static_cast<std::uint64_t>(weight_[i] >> p) & 1U;
        planes_[p][i / 64] |= bit << (i % 64);
      }
    }
  }

  std::size_t n_classes_;
  std::vector<Weight> weight_;  // by place; 0 where a class does not fill its last word
  std::vector<std::uint32_t> distinct_;
  std::vector<std::size_t> first_word_;
  std::vector<Bits> bits_;
  std::vector<Bits> planes_;
  Bits both_;
};

template <class Weight>
class Reckoner {
 public:
  Reckoner(const BinaryRows& rows, std::span<const Weight> weight, std::span<const char> used,
           Poll poll)
      : rows_(rows), table_(rows, weight, used), poll_(poll) {
    total_ = sum(box({}));
  }

  [[nodiscard]] Weight total() const { return total_; }

  /// Adds a leaf to the sums of its tree.
  void add(const Literals& path, std::int32_t label, Weight* excess, Weight& errors) {
    key_ = path;
    std::sort(key_.begin(), key_.end());
    key_.erase(std::unique(key_.begin(), key_.end()), key_.end());
    key_.push_back(static_cast<Literal>(label));
    auto found = leaves_.find(key_);
    if (found == leaves_.end()) {
      const Literals key = key_;
      found = leaves_.emplace(key, look(Literals(key.begin(), key.end() - 1), label)).first;
    }
    errors += found->second.errors;
    for (const auto& [group, own] : found->second.excess) excess[group] += own;
  }

 private:
  struct Leaf {
    Weight errors = 0;
    std::vector<std::pair<std::size_t, Weight>> excess;
  };

  [[nodiscard]] std::size_t group(Literal literal) const {
    return static_cast<std::size_t>(rows_.group[literal / 2]);
  }

  [[nodiscard]] Leaf look(const Literals& literals, std::int32_t label) {
    Leaf leaf;
    leaf.errors = wrong(literals, label);
    std::vector<std::size_t> groups;
    for (const Literal literal : literals) groups.push_back(group(literal));
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    for (const std::size_t own : groups) {
      Literals inside, others;
      for (const Literal literal : literals) {
        (group(literal) == own ? inside : others).push_back(literal);
      }
      const Weight fits = sum(box(inside));
      leaf.excess.emplace_back(own, fits * wrong(others, label) - total_ * leaf.errors);
    }
    return leaf;
  }

  [[nodiscard]] const std::vector<Weight>& box(const Literals& literals) {
    const auto [found, is_new] = boxes_.try_emplace(literals);
    if (is_new) {
      found->second.assign(rows_.n_classes, 0);
      table_.weigh(literals, found->second.data());
      if (boxes_.size() % 1024 == 0) poll_();
    }
    return found->second;
  }

  [[nodiscard]] static Weight sum(const std::vector<Weight>& weights) {
    Weight out = 0;
    for (const Weight weight : weights) out += weight;
    return out;
  }

  [[nodiscard]] Weight wrong(const Literals& literals, std::int32_t label) {
    const std::vector<Weight>& weights = box(literals);
    Weight out = 0;
    for (std::size_t c = 0; c < weights.size(); ++c) {
      if (c != static_cast<std::size_t>(label)) out += weights[c];
    }
    return out;
  }

  const BinaryRows& rows_;
  Table<Weight> table_;
  Poll poll_;
  Weight total_ = 0;
  Literals key_;
  std::unordered_map<Literals, std::vector<Weight>, NumbersHash> boxes_;
  std::unordered_map<Literals, Leaf, NumbersHash> leaves_;
};

void require(bool good, const char* what) {
  if (!good) throw std::invalid_argument(what);
}

bool within(std::int32_t value, std::size_t size) {
  return value >= 0 && static_cast<std::size_t>(value) < size;
}

void check(const FlatTreesView& trees, const BinaryRows& rows, std::size_t n_weights) {
  const std::size_t n_columns = rows.group.size();
  require(rows.label.size() == n_weights, "rows need one label and one weight each");
  require(rows.cells.size() == n_weights * n_columns, "cells are not rows x columns");
  for (const std::int32_t label : rows.label) require(within(label, rows.n_classes), "no class");
  for (const std::int32_t group : rows.group) require(within(group, rows.n_groups), "no group");
  require(trees.column.size() == trees.label.size(), "nodes need one column and one label each");
  require(!trees.offsets.empty() && trees.offsets.front() == 0 &&
              trees.offsets.back() == static_cast<std::int64_t>(trees.column.size()) &&
              std::is_sorted(trees.offsets.begin(), trees.offsets.end()),
          "offsets do not part the nodes");
  for (std::size_t i = 0; i < trees.column.size(); ++i) {
    if (trees.column[i] >= 0) {
      require(within(trees.column[i], n_columns), "a node asks a column that is not there");
    } else {
      require(within(trees.label[i], rows.n_classes), "a leaf has a class that is not there");
    }
  }
}

}  // namespace

template <class Weight>
Permuted<Weight> permuted_errors(const FlatTreesView& trees, const BinaryRows& rows,
                                 std::span<const Weight> weight, Poll poll) {
  check(trees, rows, weight.size());
  Weight total = 0;
  for (const Weight own : weight) {
    require(own >= 0, "a weight is negative");
    total += own;
    if constexpr (std::is_integral_v<Weight>) {
      if (own > most_weight || total > most_weight) throw CountOverflow("weight of two rows", 63);
    }
  }
  std::vector<char> used(rows.group.size(), 0);
  for (const std::int32_t column : trees.column) {
    if (column >= 0) used[static_cast<std::size_t>(column)] = 1;
  }
  Reckoner<Weight> reckoner(rows, weight, used, poll);
  Permuted<Weight> out;
  out.total = reckoner.total();
  const std::size_t n_trees = trees.offsets.size() - 1;
  out.errors.assign(n_trees, 0);
  out.excess.assign(n_trees * rows.n_groups, 0);
  Literals path;
  for (std::size_t t = 0; t < n_trees; ++t) {
    if (t % 4096 == 0) poll();
    path.clear();
    bool done = false;
    for (auto i = static_cast<std::size_t>(trees.offsets[t]);
         i < static_cast<std::size_t>(trees.offsets[t + 1]); ++i) {
      require(!done, "a tree goes on after its last leaf");
      if (trees.column[i] >= 0) {
        path.push_back(2 * static_cast<Literal>(trees.column[i]) + 1);
        continue;
      }
      reckoner.add(path, trees.label[i], out.excess.data() + t * rows.n_groups, out.errors[t]);
      while (!path.empty() && path.back() % 2 == 0) path.pop_back();
      done = path.empty();
      if (!done) --path.back();  // on to the side where the column is 0
    }
    require(done, "a tree ends before its last leaf");
  }
  return out;
}

template Permuted<std::int64_t> permuted_errors(const FlatTreesView&, const BinaryRows&,
                                                std::span<const std::int64_t>, Poll);
template Permuted<double> permuted_errors(const FlatTreesView&, const BinaryRows&,
                                          std::span<const double>, Poll);

}  // namespace orderless::importance
