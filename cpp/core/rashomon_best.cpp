#include "core/rashomon_best.hpp"

#include <algorithm>
#include <numeric>

#include "core/rashomon_kernels.hpp"

namespace orderless::rashomon {

namespace {

constexpr std::size_t most_sides = std::size_t{1} << 24U;  // bytes of sides that are remembered

/// The cheaper of a leaf and of a split into two leaves.
std::int64_t leaf_or_split(const Costs& costs, std::int64_t leaf_errors,
                           std::int64_t split_errors) {
  const std::int64_t leaf = costs.of(leaf_errors, 1);
  return split_errors >= leaf_errors ? leaf : std::min(leaf, costs.of(split_errors, 2));
}

}  // namespace

Pairs::Pairs(const Rows& rows)
    : n_columns(rows.n_columns),
      n_classes(rows.n_classes),
      stride(rows.stride()),
      all(n_classes),
      one(n_classes * stride),
      both(n_columns * n_classes * stride) {
  class_weights(rows, rows.all.data(), all.data());
  block_counts(rows.all.data(), rows, 0, one.data());
  for (std::size_t i = 0; i < n_columns; ++i) {
    block_counts(rows.column(i), rows, i, both.data() + i * n_classes * stride);
  }
  for (std::size_t i = 0; i < n_columns; ++i) {
    for (std::size_t c = 0; c < n_classes; ++c) {
      std::int64_t* own = both.data() + (i * n_classes + c) * stride;
      for (std::size_t j = 0; j < i / 8 * 8; ++j) own[j] = both[(j * n_classes + c) * stride + i];
    }
  }
}

SplitErrors::SplitErrors(const Pairs& given)
    : pairs(given), cells(n_signs * pairs.stride), room(8 * pairs.stride), own(pairs.n_classes) {}

void SplitErrors::look(std::size_t i) {
  pairs.side(i, true, own.data());
  least[0] = least[1] = unreachable;
  split_errors({pairs.n_classes, pairs.stride, pairs.n_columns, pairs.row(i), pairs.one.data(),
                own.data(), pairs.all.data(), cells.data(), least, room.data()});
}

void Pairs::side(std::size_t i, bool yes, std::int64_t* out) const {
  for (std::size_t c = 0; c < n_classes; ++c) {
    const std::int64_t on = one[c * stride + i];
    out[c] = yes ? on : all[c] - on;
  }
}

void Pairs::cell(std::size_t i, bool yes, std::size_t j, bool also, std::int64_t* out) const {
  const std::int64_t* pair = row(i) + j;
  for (std::size_t c = 0; c < n_classes; ++c) {
    const std::int64_t t = pair[c * stride];
    const std::int64_t a = one[c * stride + i], b = one[c * stride + j];
    out[c] = yes ? (also ? t : a - t) : (also ? b - t : all[c] - a - b + t);
  }
}

SideCosts sides_of_depth_1(const Pairs& pairs, const Costs& costs) {
  const std::size_t n = pairs.n_columns;
  std::vector<std::int64_t> weights(pairs.n_classes);
  SplitErrors errors(pairs);
  SideCosts sides(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    errors.look(i);
    for (std::size_t s = 0; s < 2; ++s) {
      pairs.side(i, s == 0, weights.data());
      const std::int64_t alone = leaf_of(weights.data(), pairs.n_classes).errors;
      sides[2 * i + s] = leaf_or_split(costs, alone, errors.least[s]);
    }
  }
  return sides;
}

SideCosts sides_of_depth_2(const Rows& rows, const Costs& costs, Meter& meter) {
  const std::size_t n = rows.n_columns;
  const std::size_t n_classes = rows.n_classes;
  const std::size_t stride = rows.stride();
  Held held(meter);
  held.set(n * stride * 8 * (n_classes + n_signs) + 32 * stride * 8);
  const Pairs pairs(rows);
  // errors[i][signs][j], i < j: two leaves below both columns.
  std::vector<std::int64_t> errors(n * n_signs * stride, unreachable);
  std::vector<std::int64_t> three(n_classes * stride), room(16 * stride);
  std::vector<std::int64_t> ni(n_classes), nj(n_classes), nij(n_classes);
  Words mask(rows.n_words);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (j + 1 == n) break;
      const std::uint64_t* a = rows.column(i);
      const std::uint64_t* b = rows.column(j);
      for (std::size_t w = 0; w < rows.n_words; ++w) mask[w] = a[w] & b[w];
      block_counts(mask.data(), rows, j + 1, three.data());
      pairs.side(i, true, ni.data());
      pairs.side(j, true, nj.data());
      pairs.cell(i, true, j, true, nij.data());
      std::int64_t ij[n_signs] = {unreachable, unreachable, unreachable, unreachable};
      for (std::size_t s = 0; s < n_signs; ++s) ij[s] = errors[(i * n_signs + s) * stride + j];
      lower_triples({n_classes, stride, j + 1, n, three.data(), pairs.row(i), pairs.row(j),
                     pairs.one.data(), nij.data(), ni.data(), nj.data(), pairs.all.data(), ij,
                     errors.data() + i * n_signs * stride, errors.data() + j * n_signs * stride,
                     room.data()});
      for (std::size_t s = 0; s < n_signs; ++s) errors[(i * n_signs + s) * stride + j] = ij[s];
      meter.step((n - j) * (rows.n_words / 4 + 8));
    }
  }
  SideCosts best(2 * n, unreachable);
  std::vector<std::int64_t> weights(n_classes);
  SplitErrors alone(pairs);
  for (std::size_t i = 0; i < n; ++i) {
    alone.look(i);
    for (std::size_t j = i + 1; j < n; ++j) {
      std::int64_t cost[n_signs];
      for (std::size_t s = 0; s < n_signs; ++s) {
        cost[s] = leaf_or_split(costs, alone.cells[s * stride + j],
                                errors[(i * n_signs + s) * stride + j]);
      }
      best[2 * i] = std::min(best[2 * i], cost[0] + cost[1]);
      best[2 * i + 1] = std::min(best[2 * i + 1], cost[2] + cost[3]);
      best[2 * j] = std::min(best[2 * j], cost[0] + cost[2]);
      best[2 * j + 1] = std::min(best[2 * j + 1], cost[1] + cost[3]);
    }
  }
  for (std::size_t i = 0; i < 2 * n; ++i) {
    pairs.side(i / 2, i % 2 == 0, weights.data());
    best[i] = std::min(best[i], costs.of(leaf_of(weights.data(), n_classes).errors, 1));
  }
  return best;
}

Leaf Best::leaf(const std::uint64_t* support) const {
  std::vector<std::int64_t> weights(rows_.n_classes);
  class_weights(rows_, support, weights.data());
  return leaf_of(weights.data(), rows_.n_classes);
}

std::int64_t Best::lower_bound(const std::uint64_t* support) const {
  std::vector<std::int64_t> weights(rows_.n_classes);
  weigh(support, rows_.minority.data(), rows_.segments, rows_.n_classes, weights.data());
  const std::int64_t least = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  return std::min(costs_.of(leaf(support).errors, 1), costs_.of(least, 2));
}

SideCosts Best::sides(const std::uint64_t* support, const Part& part) {
  const Key key = namer_.name(support);
  const auto found = sides_.find(key);
  if (found != sides_.end()) return found->second;
  SideCosts sides = sides_of_depth_2(part.rows, costs_, meter_);
  const std::size_t bytes = sides.size() * 8 + 96;
  if (sides_bytes_ + bytes < most_sides) {
    sides_bytes_ += bytes;
    held_.set(n_known_ * 64 + sides_bytes_);
    sides_.emplace(key, sides);
  }
  return sides;
}

std::int64_t Best::of(const std::uint64_t* support, int depth, std::int64_t upper) {
  if (depth <= 0) return costs_.of(leaf(support).errors, 1);
  const std::int64_t bound = lower_bound(support);
  if (bound >= upper || bound == costs_.of(leaf(support).errors, 1)) return bound;
  if (known_.size() <= static_cast<std::size_t>(depth)) {
    known_.resize(static_cast<std::size_t>(depth) + 1);
  }
  const Key key = namer_.name(support);
  const auto found = known_[static_cast<std::size_t>(depth)].find(key);
  if (found != known_[static_cast<std::size_t>(depth)].end()) {
    const Known& known = found->second;
    if (known.exact || known.value >= upper) return known.value;
  }
  meter_.step(1024);
  const std::int64_t value = search(support, depth, upper);
  auto& level = known_[static_cast<std::size_t>(depth)];
  if (level.insert_or_assign(key, Known{value, value < upper || depth <= 3}).second) {
    held_.set(++n_known_ * 64 + sides_bytes_);
  }
  return value;
}

std::int64_t Best::search(const std::uint64_t* support, int depth, std::int64_t upper) {
  const std::int64_t alone = costs_.of(leaf(support).errors, 1);
  const Part part = restrict(rows_, support);
  const std::size_t n = part.rows.n_columns;
  if (depth <= 3) {
    SideCosts sides;
    if (depth == 3) {
      sides = this->sides(support, part);
    } else {
      const Pairs pairs(part.rows);
      if (depth == 2) {
        sides = sides_of_depth_1(pairs, costs_);
      } else {
        std::vector<std::int64_t> weights(rows_.n_classes);
        for (std::size_t i = 0; i < 2 * n; ++i) {
          pairs.side(i / 2, i % 2 == 0, weights.data());
          sides.push_back(costs_.of(leaf_of(weights.data(), rows_.n_classes).errors, 1));
        }
      }
    }
    std::int64_t best = alone;
    for (std::size_t i = 0; i < n; ++i) best = std::min(best, sides[2 * i] + sides[2 * i + 1]);
    return best;
  }
  // Columns in the order of what one split on them costs.
  std::vector<std::int64_t> weights(rows_.n_classes);
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  Words yes(rows_.n_words), no(rows_.n_words);
  const auto cut = [&](std::size_t group) {
    const std::uint64_t* column = rows_.column(static_cast<std::size_t>(part.column[group]));
    for (std::size_t w = 0; w < rows_.n_words; ++w) {
      yes[w] = support[w] & column[w];
      no[w] = support[w] & ~column[w];
    }
  };
  for (std::size_t i = 0; i < n; ++i) {
    cut(i);
    order.emplace_back(leaf(yes.data()).errors + leaf(no.data()).errors, i);
  }
  std::sort(order.begin(), order.end());
  std::int64_t best = std::min(alone, upper);
  for (const auto& [errors, i] : order) {
    cut(i);
    const std::int64_t bound_no = lower_bound(no.data());
    if (lower_bound(yes.data()) + bound_no >= best) continue;
    const std::int64_t on_yes = of(yes.data(), depth - 1, best - bound_no);
    if (on_yes + bound_no >= best) continue;
    const std::int64_t on_no = of(no.data(), depth - 1, best - on_yes);
    best = std::min(best, on_yes + on_no);
  }
  return best;
}

}  // namespace orderless::rashomon
