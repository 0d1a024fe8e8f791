#include "core/reasons/cover.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/bits.hpp"

namespace orderless::reasons {

/// A row of a cover problem: the columns that cover it, sorted, and what covering it is worth, in
/// columns and in cost. Prices only guide: any prices give a valid bound.
struct CoverRow {
  std::vector<std::int32_t> columns;
  double count_price = 0;
  double cost_price = 0;
};

/// What a bound by prices says, in whole numbers, `scale` to one: no cover is below `value`, and
/// none with column i of `columns` below `value` + the positive part of `reduced[i]`.
struct PricedBound {
  static constexpr std::int64_t scale = 4096;
  std::int64_t value = 0;
  std::vector<std::int32_t> columns;  // of all rows, sorted
  std::vector<std::int64_t> reduced;

  /// The least whole number that is not below a bound.
  [[nodiscard]] static std::int64_t up(std::int64_t scaled) {
    return scaled <= 0 ? -((-scaled) / scale) : (scaled + scale - 1) / scale;
  }
};

/// A lower bound on the number of columns that cover the rows, by Lagrangian relaxation: `rounds`
/// steps from the rows' prices, which are improved on the way. `most`: about how many are enough.
[[nodiscard]] PricedBound bound_count(std::vector<CoverRow>& rows, std::int64_t most, int rounds);

/// A lower bound on the cost of covers with at most `n_columns` columns; `cost` is by column.
/// `most`: about what is enough.
[[nodiscard]] PricedBound bound_cost(std::vector<CoverRow>& rows,
                                     const std::vector<std::int32_t>& cost, std::int64_t n_columns,
                                     std::int64_t most, int rounds);

namespace {

/// min sum of weight x, every row covered, at most `n_columns` columns (below 0: any number). With
/// a price u for each row and one, lambda, for the number of columns, no cover is below
///   sum u - lambda n_columns + sum over columns of min(0, weight + lambda - sum of its rows' u).
class Relaxation {
 public:
  Relaxation(const std::vector<CoverRow>& rows, const std::vector<std::int32_t>* cost,
             std::int64_t n_columns)
      : limit_(n_columns) {
    for (const CoverRow& row : rows) {
      out.columns.insert(out.columns.end(), row.columns.begin(), row.columns.end());
    }
    std::ranges::sort(out.columns);
    const auto rest = std::ranges::unique(out.columns);
    out.columns.erase(rest.begin(), rest.end());
    start_.push_back(0);
    for (const CoverRow& row : rows) {
      for (const std::int32_t column : row.columns) {
        const auto place = std::ranges::lower_bound(out.columns, column);
        members_.push_back(static_cast<std::size_t>(place - out.columns.begin()));
      }
      start_.push_back(members_.size());
    }
    for (const std::int32_t column : out.columns) {
      weight_.push_back(cost == nullptr ? 1 : (*cost)[at(column)]);
    }
  }

  /// Steps along subgradients, and keeps the best prices in `price`.
  void improve(std::vector<double>& price, double& lambda, double most, int rounds) {
    std::vector<double> now = price, reduced(weight_.size());
    double extra = lambda, best = -1e300, pace = 1.0;
    int stale = 0;
    for (int round = 0; round < rounds && pace > 0.005; ++round) {
      const double value = evaluate(now, extra, reduced);
      if (value > best + 1e-9) {
        best = value;
        price = now;
        lambda = extra;
        stale = 0;
      } else if (++stale >= 8) {
        stale = 0;
        pace /= 2;
      }
      if (best > most) return;
      double norm = 0, taken = 0;
      for (const double one : reduced) taken += one < 0 ? 1 : 0;
      std::vector<double> slope(now.size());
      for (std::size_t r = 0; r < now.size(); ++r) {
        slope[r] = 1;
        for (std::size_t i = start_[r]; i < start_[r + 1]; ++i) {
          if (reduced[members_[i]] < 0) slope[r] -= 1;
        }
        norm += slope[r] * slope[r];
      }
      const double over = limit_ < 0 ? 0 : taken - static_cast<double>(limit_);
      norm += over * over;
      if (norm == 0) return;
      const double step = pace * std::max(most + 0.5 - value, 0.1) / norm;
      for (std::size_t r = 0; r < now.size(); ++r) now[r] = std::max(0.0, now[r] + step * slope[r]);
      extra = std::max(0.0, extra + step * over);
    }
  }

  /// The bound that the prices give, in whole numbers: exact whatever they are.
  void settle(const std::vector<double>& price, double lambda) {
    const auto whole = [](double x) {
      return static_cast<std::int64_t>(std::floor(x * static_cast<double>(PricedBound::scale)));
    };
    const std::int64_t extra = limit_ < 0 ? 0 : whole(lambda);
    for (const std::int64_t weight : weight_) {
      out.reduced.push_back(weight * PricedBound::scale + extra);
    }
    out.value = limit_ < 0 ? 0 : -extra * limit_;
    for (std::size_t r = 0; r < price.size(); ++r) {
      const std::int64_t own = whole(price[r]);
      out.value += own;
      for (std::size_t i = start_[r]; i < start_[r + 1]; ++i) out.reduced[members_[i]] -= own;
    }
    for (const std::int64_t one : out.reduced) out.value += std::min<std::int64_t>(0, one);
  }

  PricedBound out;

 private:
  [[nodiscard]] double evaluate(const std::vector<double>& price, double lambda,
                                std::vector<double>& reduced) const {
    for (std::size_t c = 0; c < reduced.size(); ++c) {
      reduced[c] = static_cast<double>(weight_[c]) + (limit_ < 0 ? 0 : lambda);
    }
    double value = limit_ < 0 ? 0 : -lambda * static_cast<double>(limit_);
    for (std::size_t r = 0; r < price.size(); ++r) {
      value += price[r];
      for (std::size_t i = start_[r]; i < start_[r + 1]; ++i) reduced[members_[i]] -= price[r];
    }
    for (const double one : reduced) value += std::min(0.0, one);
    return value;
  }

  std::int64_t limit_;
  std::vector<std::size_t> start_, members_;  // of each row, the places of its columns
  std::vector<std::int64_t> weight_;
};

PricedBound bound(std::vector<CoverRow>& rows, const std::vector<std::int32_t>* cost,
                  std::int64_t n_columns, std::int64_t most, int rounds,
                  double CoverRow::* price_of) {
  Relaxation relaxed(rows, cost, n_columns);
  std::vector<double> price(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) price[r] = rows[r].*price_of;
  double lambda = 0;
  relaxed.improve(price, lambda, static_cast<double>(most), rounds);
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r].*price_of = price[r];
  relaxed.settle(price, lambda);
  return std::move(relaxed.out);
}

}  // namespace

PricedBound bound_count(std::vector<CoverRow>& rows, std::int64_t most, int rounds) {
  return bound(rows, nullptr, -1, most, rounds, &CoverRow::count_price);
}

PricedBound bound_cost(std::vector<CoverRow>& rows, const std::vector<std::int32_t>& cost,
                       std::int64_t n_columns, std::int64_t most, int rounds) {
  return bound(rows, &cost, n_columns, most, rounds, &CoverRow::cost_price);
}

namespace {

using Slots = std::vector<std::uint16_t>;

constexpr std::size_t words_at_once = 8;
constexpr std::size_t steps_per_poll = 10'000;  // boxes that are compared, about a millisecond

/// Set arithmetic on boxes.
class Boxes {
 public:
  Boxes(const BoxLayout& layout, const PollFunction& poll) : layout_(layout), poll_(poll) {}

  [[nodiscard]] bool side_within(std::size_t f, const std::uint16_t* a,
                                 const std::uint16_t* b) const {
    const std::size_t s = layout_.slot(f);
    if (layout_.feature(f).ordered) {
      if (a[s] <= a[s + 1] && (a[s] < b[s] || a[s + 1] > b[s + 1])) return false;
      return !layout_.feature(f).nan || a[s + 2] <= b[s + 2];
    }
    for (std::size_t i = s; i < s + layout_.slots_of(f); ++i) {
      if ((a[i] & ~b[i]) != 0) return false;
    }
    return true;
  }

  [[nodiscard]] bool within(const std::uint16_t* a, const std::uint16_t* b) const {
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      if (!side_within(f, a, b)) return false;
    }
    return true;
  }

  [[nodiscard]] bool meet(const std::uint16_t* a, const std::uint16_t* b) const {
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      if (!layout_.sides_meet(f, a, b)) return false;
    }
    return true;
  }

  /// The parts of a's side of f outside b's, as boxes that otherwise equal a.
  [[nodiscard]] std::vector<Slots> outside(std::size_t f, const Slots& a,
                                           const std::uint16_t* b) const {
    std::vector<Slots> parts;
    const std::size_t s = layout_.slot(f);
    if (!layout_.feature(f).ordered) {
      Slots part = a;
      bool some = false;
      for (std::size_t i = s; i < s + layout_.slots_of(f); ++i) {
        part[i] = static_cast<std::uint16_t>(a[i] & ~b[i]);
        some = some || part[i] != 0;
      }
      if (some) parts.push_back(std::move(part));
      return parts;
    }
    const bool nan = layout_.feature(f).nan;
    const auto interval = [&](std::uint16_t low, std::uint16_t high) {
      Slots part = a;
      part[s] = low;
      part[s + 1] = high;
      if (nan) part[s + 2] = 0;
      parts.push_back(std::move(part));
    };
    if (a[s] <= a[s + 1]) {
      if (b[s] > b[s + 1]) {
        interval(a[s], a[s + 1]);
      } else {
        if (a[s] < b[s]) {
          interval(a[s], std::min(a[s + 1], static_cast<std::uint16_t>(b[s] - 1)));
        }
        if (a[s + 1] > b[s + 1]) {
          interval(std::max(a[s], static_cast<std::uint16_t>(b[s + 1] + 1)), a[s + 1]);
        }
      }
    }
    if (nan && a[s + 2] > b[s + 2]) {
      Slots part = a;
      part[s] = 1;
      part[s + 1] = 0;
      parts.push_back(std::move(part));
    }
    return parts;
  }

  /// Some part of `region` that no box of `chosen`, from `from` on, meets; none if they cover it.
  [[nodiscard]] std::optional<Slots> uncovered(Slots region,
                                               const std::vector<const std::uint16_t*>& chosen,
                                               std::size_t from = 0) {
    steps_ += chosen.size() - from + 1;
    if (steps_ >= steps_per_poll) {
      steps_ = 0;
      poll_(chosen.size());
    }
    for (std::size_t k = from; k < chosen.size(); ++k) {
      if (!meet(region.data(), chosen[k])) continue;
      for (std::size_t f = 0; f < layout_.n_features(); ++f) {
        for (Slots& part : outside(f, region, chosen[k])) {
          if (auto found = uncovered(std::move(part), chosen, k + 1)) return found;
        }
        layout_.cut_down(f, region.data(), chosen[k]);
      }
      return std::nullopt;  // what is left of the region lies inside the box
    }
    return region;
  }

  /// The boxes that meet one of them, in their order, without it.
  [[nodiscard]] std::vector<const std::uint16_t*> meeting(const std::vector<Slots>& list,
                                                          std::size_t one) const {
    std::vector<const std::uint16_t*> out;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (k != one && meet(list[one].data(), list[k].data())) out.push_back(list[k].data());
    }
    return out;
  }

  /// Shrinks a region until every box of the list contains it or misses it, missing where possible;
  /// gives the positions of those that contain it.
  [[nodiscard]] std::vector<std::int32_t> shrink(Slots& region, const BoxList& list) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!meet(region.data(), list[i])) continue;
      for (std::size_t f = 0; f < layout_.n_features(); ++f) {
        std::vector<Slots> parts = outside(f, region, list[i]);
        if (parts.empty()) continue;
        region = std::move(parts.front());
        break;
      }
    }
    std::vector<std::int32_t> around;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (within(region.data(), list[i])) around.push_back(static_cast<std::int32_t>(i));
    }
    return around;
  }

 private:
  const BoxLayout& layout_;
  const PollFunction& poll_;
  std::size_t steps_ = 0;
};

Slots slots(const BoxList& list, std::size_t i) { return Slots(list[i], list[i] + list.n_slots); }

}  // namespace

std::vector<std::int32_t> smallest_cover(const BoxLayout& layout, const BoxList& leaves,
                                         const BoxList& reasons, const PollFunction& poll) {
  if (leaves.size() == 0) return {};
  if (reasons.size() == 1) return {0};  // all of them together cover the class
  Boxes boxes(layout, poll);
  std::vector<std::int32_t> cost(reasons.size());
  for (std::size_t i = 0; i < cost.size(); ++i) cost[i] = layout.n_conditions(reasons[i]);
  std::vector<std::vector<std::int32_t>> rows;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    Slots region = slots(leaves, i);
    rows.push_back(boxes.shrink(region, reasons));
    poll(reasons.size());
  }
  const auto step = [&] { poll(reasons.size()); };
  while (true) {
    std::vector<std::int32_t> chosen = best_choice(rows, cost, step);
    std::vector<const std::uint16_t*> cover;
    cover.reserve(chosen.size());
    for (const std::int32_t i : chosen) cover.push_back(reasons[static_cast<std::size_t>(i)]);
    bool complete = true;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      auto region = boxes.uncovered(slots(leaves, i), cover);
      if (!region) continue;
      complete = false;
      rows.push_back(boxes.shrink(*region, reasons));
      poll(reasons.size());
    }
    if (complete) return chosen;
  }
}

namespace {

/// Grows boxes and asks which classes they meet.
class Grower {
 public:
  Grower(const BoxLayout& layout, const LeafMasks& masks, std::size_t class_index)
      : layout_(layout), masks_(masks), wrong_(masks.not_class(class_index)) {}

  /// Whether no leaf of another class meets the box.
  [[nodiscard]] bool pure(const Slots& box) const {
    // A few words at a time: a box that is not pure shows it early.
    std::vector<std::uint64_t> met(wrong_, wrong_ + masks_.n_words());
    for (std::size_t first = 0; first < met.size(); first += words_at_once) {
      const std::size_t end = std::min(first + words_at_once, met.size());
      for (std::size_t f = 0; f < layout_.n_features(); ++f) {
        masks_.meet(f, box.data(), met.data(), first, end);
      }
      const auto here = met.begin() + static_cast<std::ptrdiff_t>(first);
      const auto there = met.begin() + static_cast<std::ptrdiff_t>(end);
      if (std::any_of(here, there, [](std::uint64_t word) { return word != 0; })) return false;
    }
    return true;
  }

  /// Grows a pure box to a maximal one, feature by feature. What is stuck stays stuck while other
  /// sides grow, so once through the features is enough.
  [[nodiscard]] Slots grow(Slots box) const {
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      const std::vector<std::uint64_t> others = wrong_leaves(box, f);
      const auto open = [&](std::size_t b) {
        const std::uint64_t* leaves = masks_.bin(f, b);
        for (std::size_t w = 0; w < others.size(); ++w) {
          if ((others[w] & leaves[w]) != 0) return false;
        }
        return true;
      };
      const std::size_t s = layout_.slot(f);
      const auto n_bins = static_cast<std::size_t>(layout_.feature(f).n_bins);
      if (!layout_.feature(f).ordered) {
        for (std::size_t b = 0; b < n_bins; ++b) {
          if (open(b)) box[s + b / 16] = static_cast<std::uint16_t>(box[s + b / 16] | 1U << b % 16);
        }
        continue;
      }
      if (box[s] > box[s + 1]) {  // NaN alone: start from the first bin that is open, if any
        for (std::size_t b = 0; b < n_bins; ++b) {
          if (!open(b)) continue;
          box[s] = box[s + 1] = static_cast<std::uint16_t>(b);
          break;
        }
      }
      if (box[s] <= box[s + 1]) {
        while (box[s] > 0 && open(box[s] - 1U)) --box[s];
        while (box[s + 1] + 1U < n_bins && open(box[s + 1] + 1U)) ++box[s + 1];
      }
      if (layout_.feature(f).nan && open(n_bins)) box[s + 2] = 1;
    }
    return box;
  }

  /// The smallest box around two.
  [[nodiscard]] Slots around(Slots a, const Slots& b) const {
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      const std::size_t s = layout_.slot(f);
      if (!layout_.feature(f).ordered) {
        for (std::size_t i = s; i < s + layout_.slots_of(f); ++i) a[i] |= b[i];
        continue;
      }
      if (a[s] > a[s + 1]) {
        a[s] = b[s];
        a[s + 1] = b[s + 1];
      } else if (b[s] <= b[s + 1]) {
        a[s] = std::min(a[s], b[s]);
        a[s + 1] = std::max(a[s + 1], b[s + 1]);
      }
      if (layout_.feature(f).nan) a[s + 2] |= b[s + 2];
    }
    return a;
  }

  /// One cell of a box: the first bin of every side.
  [[nodiscard]] Slots cell(Slots box) const {
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      const std::size_t s = layout_.slot(f);
      if (!layout_.feature(f).ordered) {
        bool found = false;
        for (std::size_t i = s; i < s + layout_.slots_of(f); ++i) {
          box[i] = found ? std::uint16_t{0} : static_cast<std::uint16_t>(box[i] & -box[i]);
          found = found || box[i] != 0;
        }
      } else if (box[s] <= box[s + 1]) {
        box[s + 1] = box[s];
        if (layout_.feature(f).nan) box[s + 2] = 0;
      }
    }
    return box;
  }

 private:
  /// Leaves of another class that the box meets, not looking at one feature.
  [[nodiscard]] std::vector<std::uint64_t> wrong_leaves(const Slots& box, std::size_t but) const {
    std::vector<std::uint64_t> met(wrong_, wrong_ + masks_.n_words());
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      if (f != but) masks_.meet(f, box.data(), met.data(), 0, met.size());
    }
    return met;
  }

  const BoxLayout& layout_;
  const LeafMasks& masks_;
  const std::uint64_t* wrong_;
};

}  // namespace

FastCover irredundant_cover(const BoxLayout& layout, const LeafMasks& masks,
                            std::size_t class_index, const BoxList& leaves,
                            const PollFunction& poll) {
  Boxes boxes(layout, poll);
  const Grower grower(layout, masks, class_index);
  std::vector<Slots> cover;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    Slots grown = grower.grow(slots(leaves, i));
    if (std::find(cover.begin(), cover.end(), grown) == cover.end()) {
      cover.push_back(std::move(grown));
    }
    poll(cover.size());
  }
  // Boxes with many conditions are the first to go.
  std::stable_sort(cover.begin(), cover.end(), [&](const Slots& a, const Slots& b) {
    const auto n_a = layout.n_conditions(a.data());
    const auto n_b = layout.n_conditions(b.data());
    return n_a != n_b ? n_a > n_b : a > b;
  });
  for (std::size_t i = 0; i < cover.size();) {
    const std::vector<const std::uint16_t*> others = boxes.meeting(cover, i);
    if (boxes.uncovered(cover[i], others)) {
      ++i;
    } else {
      cover.erase(cover.begin() + static_cast<std::ptrdiff_t>(i));
    }
    poll(cover.size());
  }
  FastCover out;
  out.boxes.n_slots = layout.n_slots();
  std::reverse(cover.begin(), cover.end());
  std::vector<Slots> apart;  // cells of which no two fit into one reason
  for (std::size_t i = 0; i < cover.size(); ++i) {
    out.boxes.push(cover[i].data());
    const std::vector<const std::uint16_t*> others = boxes.meeting(cover, i);
    const auto region = boxes.uncovered(cover[i], others);
    const Slots own = grower.cell(region ? *region : cover[i]);
    const bool new_one = std::none_of(apart.begin(), apart.end(), [&](const Slots& cell) {
      return grower.pure(grower.around(cell, own));
    });
    if (new_one) apart.push_back(own);
    poll(cover.size());
  }
  out.bound = static_cast<std::int32_t>(apart.size());
  return out;
}

CoverFault cover_fault(const BoxLayout& layout, const LeafMasks& masks, std::size_t class_index,
                       const BoxList& leaves, const BoxList& cover, const PollFunction& poll) {
  Boxes boxes(layout, poll);
  const Grower grower(layout, masks, class_index);
  std::vector<const std::uint16_t*> chosen;
  for (std::size_t i = 0; i < cover.size(); ++i) {
    if (!grower.pure(slots(cover, i))) return CoverFault::mixed;
    chosen.push_back(cover[i]);
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (boxes.uncovered(slots(leaves, i), chosen)) return CoverFault::open;
  }
  return CoverFault::none;
}

namespace {

constexpr int first_rounds = 200, later_rounds = 30;  // of improving prices

using Rows = std::vector<CoverRow>;

bool within(const Words& a, const Words& b) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & ~b[w]) != 0) return false;
  }
  return true;
}

bool has(const CoverRow& row, std::int32_t column) {
  return std::ranges::binary_search(row.columns, column);
}

/// How many columns, and what they cost together: fewer columns are always better.
struct Size {
  std::int64_t n = 0;
  std::int64_t cost = 0;

  auto operator<=>(const Size&) const = default;
  Size operator+(const Size& other) const { return {n + other.n, cost + other.cost}; }
  Size operator-(const Size& other) const { return {n - other.n, cost - other.cost}; }
};

struct Chosen {
  Size size;
  std::vector<std::int32_t> columns;  // sorted when it is complete

  void add(std::int32_t column, std::int32_t cost) {
    columns.push_back(column);
    size = size + Size{1, cost};
  }
  void add(const Chosen& more) {
    columns.insert(columns.end(), more.columns.begin(), more.columns.end());
    std::ranges::sort(columns);
    size = size + more.size;
  }
  [[nodiscard]] bool better_than(const Chosen& other) const {
    return size != other.size ? size < other.size : columns < other.columns;
  }
};

class CoverSearch {
 public:
  CoverSearch(const std::vector<std::int32_t>& cost, const std::function<void()>& step)
      : cost_(cost), step_(step) {}

  std::vector<std::int32_t> run(Rows rows) {
    Chosen chosen;
    reduce(rows, chosen);
    const Size any = greedy(rows);  // nothing is left almost always
    chosen.add(solve(std::move(rows), any, first_rounds).value_or(Chosen{}));
    return chosen.columns;
  }

 private:
  [[nodiscard]] std::int32_t cost_of(std::int32_t column) const { return cost_[at(column)]; }

  void take(std::int32_t column, Rows& rows, Chosen& chosen) const {
    chosen.add(column, cost_of(column));
    std::erase_if(rows, [column](const CoverRow& row) { return has(row, column); });
  }

  /// Some cover: always the column that is in most rows.
  [[nodiscard]] Size greedy(Rows rows) const {
    Chosen chosen;
    while (!rows.empty()) {
      std::map<std::int32_t, std::size_t> count;
      for (const CoverRow& row : rows) {
        for (const std::int32_t column : row.columns) ++count[column];
      }
      const auto most = std::ranges::max_element(count, {}, [](const auto& c) { return c.second; });
      take(most->first, rows, chosen);
    }
    return chosen.size;
  }

  /// Applies the reductions until nothing changes.
  void reduce(Rows& rows, Chosen& chosen) const {
    while (true) {
      const auto forced =
          std::ranges::find_if(rows, [](const CoverRow& row) { return row.columns.size() == 1; });
      if (forced != rows.end()) {
        take(forced->columns.front(), rows, chosen);
        continue;
      }
      if (drop_rows(rows)) continue;
      if (drop_columns(rows)) continue;
      return;
    }
  }

  /// A row that contains another is covered with it.
  static bool drop_rows(Rows& rows) {
    std::ranges::sort(rows, [](const CoverRow& a, const CoverRow& b) {
      return a.columns.size() != b.columns.size() ? a.columns.size() < b.columns.size()
                                                  : a.columns < b.columns;
    });
    const std::size_t before = rows.size();
    Rows kept;
    for (CoverRow& row : rows) {
      const bool covered = std::ranges::any_of(kept, [&](const CoverRow& other) {
        return std::ranges::includes(row.columns, other.columns);
      });
      if (!covered) kept.push_back(std::move(row));
    }
    rows = std::move(kept);
    return rows.size() != before;
  }

  /// A column is superfluous if an earlier one, which costs no more, is in all of its rows.
  static bool drop_columns(Rows& rows) {
    std::map<std::int32_t, Words> where;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const std::int32_t column : rows[r].columns) {
        Words& bits = where[column];
        bits.resize(words_for(rows.size()), 0);
        set_bit(bits, r);
      }
    }
    std::map<Words, std::int32_t> first;  // equal columns: the earliest stays
    for (const auto& [column, bits] : where) first.emplace(bits, column);
    std::vector<std::pair<std::int32_t, const Words*>> left;
    left.reserve(first.size());
    for (const auto& [bits, column] : first) left.emplace_back(column, &bits);
    std::ranges::sort(left);
    std::vector<std::pair<std::int32_t, const Words*>> kept;
    for (const auto& [column, bits] : left) {
      const bool superfluous = std::ranges::any_of(
          kept, [b = bits](const auto& other) { return within(*b, *other.second); });
      if (!superfluous) kept.emplace_back(column, bits);
    }
    if (kept.size() == where.size()) return false;
    std::vector<std::int32_t> stay;
    stay.reserve(kept.size());
    for (const auto& [column, _] : kept) stay.push_back(column);
    keep_columns(rows, stay);
    return true;
  }

  static void keep_columns(Rows& rows, const std::vector<std::int32_t>& stay) {
    for (CoverRow& row : rows) {
      std::erase_if(row.columns,
                    [&](std::int32_t column) { return !std::ranges::binary_search(stay, column); });
    }
  }

  /// Whether covers of at most `most` are possible. Leaves out columns that none of them has.
  bool possible(Rows& rows, const Size& most, int rounds, bool& fewer) const {
    const PricedBound count = bound_count(rows, most.n, rounds);
    const std::int64_t least = PricedBound::up(count.value);
    if (least > most.n) return false;
    std::vector<std::int32_t> stay;
    for (std::size_t c = 0; c < count.columns.size(); ++c) {
      const std::int64_t with = count.value + std::max<std::int64_t>(0, count.reduced[c]);
      if (PricedBound::up(with) <= most.n) stay.push_back(count.columns[c]);
    }
    fewer = stay.size() < count.columns.size();
    if (fewer) {
      keep_columns(rows, stay);
      return true;
    }
    if (least < most.n) return true;  // a cover of fewer columns may cost anything
    const PricedBound cost = bound_cost(rows, cost_, most.n, most.cost, rounds);
    if (PricedBound::up(cost.value) > most.cost) return false;
    stay.clear();
    for (std::size_t c = 0; c < cost.columns.size(); ++c) {
      const std::int64_t with = cost.value + std::max<std::int64_t>(0, cost.reduced[c]);
      if (PricedBound::up(with) <= most.cost) stay.push_back(cost.columns[c]);
    }
    fewer = stay.size() < cost.columns.size();
    if (fewer) keep_columns(rows, stay);
    return true;
  }

  /// Rows that have no column in common with the others are a problem of their own.
  static std::vector<Rows> apart(const Rows& rows) {
    std::vector<std::size_t> group(rows.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    const auto root = [&](std::size_t r) {
      while (group[r] != r) r = group[r] = group[group[r]];
      return r;
    };
    std::map<std::int32_t, std::size_t> owner;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const std::int32_t column : rows[r].columns) {
        const auto [place, is_new] = owner.emplace(column, r);
        if (!is_new) group[root(r)] = root(place->second);
      }
    }
    std::map<std::size_t, Rows> parts;
    for (std::size_t r = 0; r < rows.size(); ++r) parts[root(r)].push_back(rows[r]);
    std::vector<Rows> out;
    out.reserve(parts.size());
    for (auto& [_, part] : parts) out.push_back(std::move(part));
    return out;
  }

  /// The best cover of size at most `most`; none if there is none.
  std::optional<Chosen> solve(Rows rows, Size most, int rounds) {
    Chosen chosen;
    for (bool fewer = true; fewer;) {
      reduce(rows, chosen);
      if (chosen.size > most) return std::nullopt;
      if (rows.empty()) {
        std::ranges::sort(chosen.columns);
        return chosen;
      }
      if (!possible(rows, most - chosen.size, rounds, fewer)) return std::nullopt;
      if (std::ranges::any_of(rows, [](const CoverRow& row) { return row.columns.empty(); })) {
        return std::nullopt;
      }
    }
    const Size left = most - chosen.size;
    std::vector<Rows> parts = apart(rows);
    auto rest = parts.size() > 1 ? each(std::move(parts), left) : branch(std::move(rows), left);
    if (!rest) return std::nullopt;
    chosen.add(*rest);
    return chosen;
  }

  /// Problems that have nothing to do with each other: the best of each, since the first of two
  /// choices is decided by the first column that only one of them has.
  std::optional<Chosen> each(std::vector<Rows> parts, Size most) {
    std::vector<std::int64_t> least;
    std::int64_t all = 0;
    for (Rows& part : parts) {
      const std::int64_t rows = static_cast<std::int64_t>(part.size());
      least.push_back(
          std::max<std::int64_t>(1, PricedBound::up(bound_count(part, rows, later_rounds).value)));
      all += least.back();
    }
    Chosen chosen;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      all -= least[i];
      const std::int64_t n = most.n - chosen.size.n - all;
      auto own =
          solve(std::move(parts[i]), {n, std::numeric_limits<std::int32_t>::max()}, later_rounds);
      if (!own) return std::nullopt;
      chosen.add(*own);
    }
    if (chosen.size > most) return std::nullopt;
    return chosen;
  }

  /// Every cover has a column of the shortest row; each branch forbids the columns tried before.
  std::optional<Chosen> branch(Rows rows, Size most) {
    step_();
    std::optional<Chosen> best;
    const std::vector<std::int32_t> pivot = rows.front().columns;
    for (const std::int32_t column : pivot) {
      Rows rest = rows;
      Chosen with;
      take(column, rest, with);
      if (with.size <= most) {
        if (auto more = solve(std::move(rest), most - with.size, later_rounds)) {
          with.add(*more);
          if (!best || with.better_than(*best)) {
            most = with.size;
            best = std::move(with);
          }
        }
      }
      for (CoverRow& row : rows) std::erase(row.columns, column);
      if (std::ranges::any_of(rows, [](const CoverRow& row) { return row.columns.empty(); })) break;
    }
    return best;
  }

  const std::vector<std::int32_t>& cost_;
  const std::function<void()>& step_;
};

}  // namespace

std::vector<std::int32_t> best_choice(const std::vector<std::vector<std::int32_t>>& rows,
                                      const std::vector<std::int32_t>& cost,
                                      const std::function<void()>& step) {
  Rows given;
  for (const auto& row : rows) given.push_back({row});
  return CoverSearch(cost, step).run(std::move(given));
}

}  // namespace orderless::reasons
