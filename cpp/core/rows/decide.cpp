#include "core/rows/decide.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <exception>
#include <optional>
#include <thread>
#include <vector>

#include "core/rows/block_walk.hpp"
#include "core/rows/lane_walk.hpp"
#include "core/rows/masks.hpp"
#include "core/rows/walk.hpp"

namespace orderless::rows {

namespace {

constexpr double complete = 0.03;  // share of unknown values up to which few rows meet one

constexpr std::size_t most_levels = 16;  // of blocks: what is more like a chain is walked

void no_poll() {}

/// The share of the values that the tree asks for which is unknown, in a look at some rows.
template <class T>
double share_unknown(const PackedTree& tree, const std::byte* base, std::ptrdiff_t stride,
                     std::size_t first, std::size_t end) {
  std::size_t unknown = 0;
  const std::size_t n = std::min(end - first, std::size_t{32});
  for (std::size_t row = first; row < first + n; ++row) {
    for (const std::ptrdiff_t offset : tree.offsets) {
      T x;
      std::memcpy(&x, base + stride * static_cast<std::ptrdiff_t>(row) + offset, sizeof(T));
      unknown += x != x ? 1 : 0;
    }
  }
  return static_cast<double>(unknown) / static_cast<double>(n * tree.offsets.size());
}

/// The common first byte and spacing of the columns that the tree uses, if they are all doubles or
/// all floats and equally spaced, and NaN is unknown.
struct Spacing {
  Column::Kind kind;
  const std::byte* base;
  std::ptrdiff_t stride;
};

std::optional<Spacing> equal_spacing(const TreeView& tree, std::span<const Domain> domains,
                                     std::span<const Column> columns) {
  std::optional<Spacing> common;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.feature[i] < 0) continue;
    const auto f = static_cast<std::size_t>(tree.feature[i]);
    const Column& column = columns[f];
    if (domains[f].nan) return std::nullopt;
    if (column.kind != Column::Kind::f64 && column.kind != Column::Kind::f32) return std::nullopt;
    if (!common) common = Spacing{column.kind, column.first, column.stride};
    if (column.kind != common->kind || column.stride != common->stride) return std::nullopt;
  }
  return common;
}

/// Decides the rows from `first` to `end`; the first one's least and greatest class go to low[0]
/// and high[0].
using Decider =
    std::function<void(std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high)>;

/// Works over blocks of rows on several threads; the calling one polls.
void in_blocks(std::size_t n_rows, std::size_t n_threads, Poll poll, const TakeEnds& take,
               const Decider& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::exception_ptr fault;
  std::atomic<bool> failed{false};
  const auto loop = [&](bool polls) {
    try {
      std::vector<std::int32_t> low(std::min(rows_at_once, n_rows));
      std::vector<std::int32_t> high(low.size());
      while (!stop) {
        const std::size_t first = next.fetch_add(rows_at_once);
        if (first >= n_rows) return;
        const std::size_t end = std::min(first + rows_at_once, n_rows);
        work(first, end, low.data(), high.data());
        take(first, std::span(low).first(end - first), std::span(high).first(end - first));
        if (polls) poll();
      }
    } catch (...) {
      if (!failed.exchange(true)) fault = std::current_exception();
      stop = true;
    }
  };
  std::vector<std::thread> others;
  const std::size_t useful = std::min(n_threads, (n_rows + rows_at_once - 1) / rows_at_once);
  others.reserve(useful);
  try {
    for (std::size_t i = 1; i < useful; ++i) others.emplace_back(loop, false);
  } catch (const std::system_error&) {
    // The system gives no more threads: those there are do the work.
  }
  loop(true);
  for (std::thread& other : others) other.join();
  if (fault) std::rethrow_exception(fault);
}

/// A walk by blocks where it pays: not for few rows, and not for trees that are nearly chains.
template <class S, class T>
std::optional<BlockWalk<S, T>> by_blocks(const PackedTree& packed, const Spacing& spacing,
                                         std::size_t n_rows) {
  std::optional<BlockWalk<S, T>> out;
  if (!has_avx2() || n_rows < packed.n_leaves()) return out;
  const BlockTree blocks = blocks_of(packed, 64);
  if (blocks.levels > most_levels) return out;
  out.emplace(blocks, packed.offsets, spacing.base, spacing.stride, true);
  return out;
}

/// Whether a walk by lanes takes a tree, and pays: not for few rows.
template <class S, class T>
bool by_lanes(const PackedTree& packed, std::size_t n_rows) {
  return n_rows >= 256 && 8 * n_rows >= packed.n_leaves() && LaneWalk<S, T>::takes(packed);
}

/// Walks down the tree: of complete rows, of rows with unknown values, and to all ends of these.
template <class S, class T>
class Walks {
 public:
  Walks(const PackedTree& packed, const std::byte* base, std::ptrdiff_t stride, bool all,
        std::size_t n_rows)
      : any_(packed, base, stride), copied_(sizeof(S) > sizeof(float) || stride == sizeof(S)) {
    if (all) every_.emplace(packed, base, stride);
    if (by_lanes<S, T>(packed, n_rows)) lanes_.emplace(packed, base, stride, has_avx2());
  }

  /// `unknown`: about the share of the values of these rows that are unknown.
  void run(std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high,
           double unknown) const {
    if (every_ && unknown >= complete) return every_->run(first, end, low, high, false);
    if (lanes_ && (copied_ || unknown >= complete)) {
      lanes_->run(first, end, low, high);
    } else {
      any_.run(first, end, {low, high}, unknown < complete);
    }
    if (every_) every_->run(first, end, low, high, true);
  }

 private:
  RowWalk<S> any_;
  // Complete rows of floats are walked as quickly where they lie, if each lies together.
  bool copied_;
  std::optional<EndsWalk<S>> every_;
  std::optional<LaneWalk<S, T>> lanes_;
};

bool compares_as_float(const PackedTree& packed) {
  return std::ranges::all_of(packed.nodes, sharp_as_float,
                             [](const auto& node) { return node.cut; });
}

}  // namespace

void ends(const TreeView& tree, std::span<const Domain> domains, std::span<const double> threshold,
          std::span<const Column> columns, std::size_t n_rows, bool all, std::size_t n_threads,
          Poll poll, const TakeEnds& take) {
  const auto by = [&](const Decider& work) { in_blocks(n_rows, n_threads, poll, take, work); };
  const auto all_one = [&](std::int32_t only) {
    by([=](std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high) {
      std::fill(low, low + (end - first), only);
      std::fill(high, high + (end - first), only);
    });
  };
  if (tree.size() == 1) return all_one(tree.leaf_class[0]);
  const std::optional<Spacing> spacing = equal_spacing(tree, domains, columns);
  if (!spacing) {
    return by([&](std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high) {
      const std::size_t n = end - first;
      reach(tree, domains, threshold, from_row(columns, first), n, 0,
            {{}, {}, {}, {low, n}, {high, n}, all}, no_poll);
    });
  }
  const PackedTree packed = pack(tree, threshold, columns, spacing->base);
  if (packed.nodes.empty()) return all_one(packed.root);
  const std::byte* base = spacing->base;
  const std::ptrdiff_t stride = spacing->stride;
  const auto work = [&]<class S, class T>(S, T) {
    const Walks<S, T> walks(packed, base, stride, all, n_rows);
    // Masks do the same work for every row, which grows with the leaves; a walk does more, the more
    // is unknown. Where they cross was measured.
    const bool wide = has_avx2();
    const auto by_masks = [&]<std::size_t n_words>(std::array<int, n_words>) {
      const double least = n_words == 1 ? 0.0 : !wide ? 0.2 : n_words > 2 && !all ? 0.15 : 0.03;
      const MaskTree leaves = masks_of(packed, n_words);
      const RowMasks<S, T, n_words> masks(leaves, base, stride, wide);
      by([&](std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high) {
        const double unknown = share_unknown<S>(packed, base, stride, first, end);
        if (unknown >= least) return masks.run(first, end, low, high);
        walks.run(first, end, low, high, unknown);
      });
    };
    if (n_rows >= 256) {  // for fewer the masks are not worth making
      if (packed.n_leaves() <= 64) return by_masks(std::array<int, 1>{});
      if (packed.n_leaves() <= 128) return by_masks(std::array<int, 2>{});
      if (packed.n_leaves() <= 256) return by_masks(std::array<int, 4>{});
    }
    const auto blocks = by_blocks<S, T>(packed, *spacing, all ? n_rows : 0);
    by([&](std::size_t first, std::size_t end, std::int32_t* low, std::int32_t* high) {
      const double unknown = share_unknown<S>(packed, base, stride, first, end);
      if (blocks && unknown > 0) return blocks->run(first, end, low, high);
      walks.run(first, end, low, high, unknown);
    });
  };
  if (spacing->kind == Column::Kind::f32) return work(float{}, float{});
  if (compares_as_float(packed)) return work(double{}, float{});
  work(double{}, double{});
}

void decide(const TreeView& tree, std::span<const Domain> domains,
            std::span<const double> threshold, std::span<const Column> columns, std::size_t n_rows,
            std::size_t n_threads, Poll poll, const TakeLabels& take) {
  const auto agreed = [&](std::size_t first, std::span<std::int32_t> low,
                          std::span<const std::int32_t> high) {
    for (std::size_t i = 0; i < low.size(); ++i) low[i] = low[i] == high[i] ? low[i] : -1;
    take(first, low);
  };
  ends(tree, domains, threshold, columns, n_rows, false, n_threads, poll, agreed);
}

void decide(const TreeView& tree, std::span<const Domain> domains,
            std::span<const double> threshold, std::span<const Column> columns, std::size_t n_rows,
            std::span<std::int32_t> label, std::size_t n_threads, Poll poll) {
  decide(tree, domains, threshold, columns, n_rows, n_threads, poll,
         [&](std::size_t first, std::span<const std::int32_t> some) {
           std::copy(some.begin(), some.end(), label.data() + first);
         });
}

void LabelBytes::write(std::size_t first, std::span<const std::int32_t> label) const {
  const auto copy = [&](const auto size) {
    std::byte* to = data + first * size;
    for (std::size_t i = 0; i < label.size(); ++i, to += size) {
      const auto item = static_cast<std::size_t>(label[i] & ~(label[i] >> 31));
      std::memcpy(to, items.data() + item * size, size);
    }
  };
  switch (item_size) {  // numbers of a size that the compiler knows
    case 8:
      copy(std::integral_constant<std::size_t, 8>{});
      break;
    case 1:
      copy(std::integral_constant<std::size_t, 1>{});
      break;
    default:
      copy(item_size);
  }
  for (std::size_t i = 0; i < label.size(); ++i) hidden[first + i] = label[i] < 0 ? 1 : 0;
}

namespace {

std::size_t bytes_of(Column::Kind kind, const Domain& domain) {
  switch (kind) {
    case Column::Kind::f64:
    case Column::Kind::between:
      return sizeof(double);
    case Column::Kind::f32:
      return sizeof(float);
    case Column::Kind::code:
      return sizeof(std::int32_t);
    case Column::Kind::among:
      return static_cast<std::size_t>(domain.n_values);
    case Column::Kind::absent:
      break;
  }
  return 0;
}

/// The rows of one block that are still looked at: at first where they are, later copied together.
class Rest {
 public:
  Rest(std::span<const Domain> domains, std::span<const Column> columns, std::size_t first,
       std::size_t n_rows)
      : domains_(domains), columns_(from_row(columns, first)), rows_(n_rows) {
    for (std::size_t i = 0; i < n_rows; ++i) rows_[i] = first + i;
  }

  [[nodiscard]] std::span<const std::size_t> rows() const { return rows_; }
  [[nodiscard]] std::span<const Column> columns() const { return columns_; }

  /// Goes on with the rows at these places only.
  void keep(std::span<const std::size_t> places) {
    std::size_t size = 0;
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      const std::size_t each = bytes_of(columns_[f].kind, domains_[f]);
      size += each * places.size() * (columns_[f].second != nullptr ? 2 : 1);
    }
    std::vector<std::byte> copy(size);
    std::byte* to = copy.data();
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      Column& column = columns_[f];
      const std::size_t each = bytes_of(column.kind, domains_[f]);
      gather(column.first, column.stride, each, places, to);
      gather(column.second, column.second_stride, each, places, to);
    }
    values_.swap(copy);
    for (std::size_t i = 0; i < places.size(); ++i) rows_[i] = rows_[places[i]];
    rows_.resize(places.size());
  }

 private:
  static void gather(const std::byte*& from, std::ptrdiff_t& stride, std::size_t each,
                     std::span<const std::size_t> places, std::byte*& to) {
    if (from == nullptr) return;
    const std::byte* const begin = to;
    for (const std::size_t place : places) {
      std::memcpy(to, from + stride * static_cast<std::ptrdiff_t>(place), each);
      to += each;
    }
    from = begin;
    stride = static_cast<std::ptrdiff_t>(each);
  }

  std::span<const Domain> domains_;
  std::vector<Column> columns_;
  std::vector<std::size_t> rows_;
  std::vector<std::byte> values_;
};

}  // namespace

void first_determined(const Forest& forest, std::span<const Domain> domains,
                      std::span<const double> threshold, std::span<const Column> columns,
                      std::size_t n_rows, const FirstDetermined& out, Poll poll) {
  std::fill(out.tree.begin(), out.tree.end(), -1);
  std::fill(out.label.begin(), out.label.end(), -1);
  const std::size_t n_trees = forest.start.size() - 1;
  std::vector<std::int32_t> label(std::min(rows_at_once, n_rows));
  std::vector<std::size_t> open;
  for (std::size_t first = 0; first < n_rows; first += rows_at_once) {
    Rest rest(domains, columns, first, std::min(rows_at_once, n_rows - first));
    std::size_t n_open = rest.rows().size();
    for (std::size_t t = 0; t < n_trees && n_open > 0; ++t) {
      if (t % 64 == 0) poll();
      const TreeView tree = forest.tree(t);
      const auto begin = static_cast<std::size_t>(forest.start[t]);
      const std::span<std::int32_t> said{label.data(), rest.rows().size()};
      decide(tree, domains, threshold.subspan(begin, tree.size()), rest.columns(),
             rest.rows().size(), said, 1, [] {});
      open.clear();
      for (std::size_t i = 0; i < said.size(); ++i) {
        const std::size_t row = rest.rows()[i];
        if (out.tree[row] < 0 && said[i] >= 0) {
          out.tree[row] = static_cast<std::int32_t>(t);
          out.label[row] = said[i];
        }
        if (out.tree[row] < 0) open.push_back(i);
      }
      n_open = open.size();
      if (2 * n_open <= said.size()) rest.keep(open);
    }
  }
}

}  // namespace orderless::rows
