#include "core/rashomon/best.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/rashomon/cut_search.hpp"
#include "core/rashomon/kernels.hpp"
#include "core/rashomon/signed.hpp"
#include "core/rashomon/threads.hpp"

namespace orderless::rashomon {

namespace {

constexpr std::size_t most_sides = std::size_t{1} << 24U;  // bytes of sides that are remembered

/// Counts of all pairs of columns i < j of a part.
struct Pairs {
  std::size_t n_classes, stride;
  std::vector<std::int64_t> all;   // per class
  std::vector<std::int64_t> one;   // per class and column
  std::vector<std::int64_t> both;  // per column, class and column

  explicit Pairs(const Rows& part)
      : n_classes(part.n_classes),
        stride(part.stride()),
        all(n_classes),
        one(n_classes * stride),
        both(part.n_columns * n_classes * stride) {
    class_weights(part, part.all.data(), all.data());
    block_counts(part.all.data(), part, 0, one.data());
    for (std::size_t i = 0; i < part.n_columns; ++i) {
      block_counts(part.column(i), part, i, both.data() + i * n_classes * stride);
    }
  }

  [[nodiscard]] const std::int64_t* row(std::size_t i) const {
    return both.data() + i * n_classes * stride;
  }
};

}  // namespace

void SplitErrors::start(const Rows& part) {
  part_ = &part;
  stride_ = part.stride();
  chain_ = 0;
  done_ = 0;
  all_.assign(part.n_classes, 0);
  own_.assign(part.n_classes, 0);
  one_.assign(part.n_classes * stride_, 0);
  both_.assign(part.n_classes * stride_, 0);
  cells_.assign(n_signs * stride_, 0);
  room_.assign(12 * stride_, 0);
  if (part.cuts.used()) {
    count_chains();
    return;
  }
  class_weights(part, part.all.data(), all_.data());
  block_counts(part.all.data(), part, 0, one_.data());
}

void SplitErrors::side(std::size_t i, bool yes, std::int64_t* out) const {
  for (std::size_t c = 0; c < all_.size(); ++c) {
    const std::int64_t on = one_[c * stride_ + i];
    out[c] = yes ? on : all_[c] - on;
  }
}

void SplitErrors::look(std::size_t i) {
  side(i, true, own_.data());
  least_[0] = least_[1] = unreachable;
  if (part_->cuts.used()) {
    look_in_chain(i);
  } else {
    block_counts(part_->column(i), *part_, 0, both_.data());
  }
  split_errors({part_->target, all_.size(), stride_, part_->n_columns, both_.data(), one_.data(),
                own_.data(), all_.data(), cells_.data(), least_, room_.data()});
}

void SplitErrors::cell(bool yes, std::size_t k, bool also, std::int64_t* out) const {
  for (std::size_t c = 0; c < all_.size(); ++c) {
    const std::int64_t t = both_[c * stride_ + k], a = own_[c], b = one_[c * stride_ + k];
    out[c] = yes ? (also ? t : a - t) : (also ? b - t : all_[c] - a - b + t);
  }
}

SideCosts sides_of_depth_1(const Rows& part, const Costs& costs) {
  if (!part.cuts.used() && signs_suffice(part)) return signed_sides_of_depth_1(part, costs);
  std::vector<std::int64_t> weights(part.n_classes);
  SplitErrors errors(part);
  SideCosts sides;
  for (std::size_t i = 0; i < part.n_columns; ++i) {
    errors.look(i);
    for (const bool yes : {true, false}) {
      errors.side(i, yes, weights.data());
      const std::int64_t alone = part.leaf(weights.data()).errors;
      sides.push_back(leaf_or_split(costs, alone, errors.least(yes)));
    }
  }
  return sides;
}

SideCosts sides_of_depth_2(const Rows& part, const Costs& costs, Meter& meter) {
  if (part.cuts.used()) return cut_sides_of_depth_2(part, costs, unreachable, meter);
  if (signs_suffice(part)) return signed_sides_of_depth_2(part, costs, meter);
  const std::size_t n = part.n_columns;
  const std::size_t n_classes = part.n_classes;
  const std::size_t stride = part.stride();
  Held held(meter);
  held.set(n * stride * 8 * (n_classes + n_signs) + (40 + n_classes) * stride * 8);
  const Pairs pairs(part);
  SplitErrors alone(part);
  // errors[i][signs][j], i < j: two leaves below both columns.
  std::vector<std::int64_t> errors(n * n_signs * stride, unreachable);
  std::vector<std::int64_t> three(n_classes * stride), room(24 * stride);
  std::vector<std::int64_t> ni(n_classes), nj(n_classes), nij(n_classes);
  Words mask(part.n_words);
  for (std::size_t i = 0; i < n; ++i) {
    alone.side(i, true, ni.data());
    for (std::size_t j = i + 1; j + 1 < n; ++j) {
      const std::uint64_t* a = part.column(i);
      const std::uint64_t* b = part.column(j);
      for (std::size_t w = 0; w < part.n_words; ++w) mask[w] = a[w] & b[w];
      block_counts(mask.data(), part, j + 1, three.data());
      alone.side(j, true, nj.data());
      for (std::size_t c = 0; c < n_classes; ++c) nij[c] = pairs.row(i)[c * stride + j];
      std::int64_t ij[n_signs] = {unreachable, unreachable, unreachable, unreachable};
      for (std::size_t s = 0; s < n_signs; ++s) ij[s] = errors[(i * n_signs + s) * stride + j];
      lower_triples({part.target, n_classes, stride, j + 1, n, three.data(), pairs.row(i),
                     pairs.row(j), pairs.one.data(), nij.data(), ni.data(), nj.data(),
                     pairs.all.data(), ij, errors.data() + i * n_signs * stride,
                     errors.data() + j * n_signs * stride, room.data()});
      for (std::size_t s = 0; s < n_signs; ++s) errors[(i * n_signs + s) * stride + j] = ij[s];
      meter.step((n - j) * (part.n_words / 4 + 8));
    }
  }
  SideCosts best(2 * n, unreachable);
  std::vector<std::int64_t> weights(n_classes);
  for (std::size_t i = 0; i < n; ++i) {
    alone.look(i);
    for (std::size_t j = i + 1; j < n; ++j) {
      std::int64_t cost[n_signs];
      for (std::size_t s = 0; s < n_signs; ++s) {
        cost[s] = leaf_or_split(costs, alone.of(s < 2, j, s % 2 == 0),
                                errors[(i * n_signs + s) * stride + j]);
      }
      best[2 * i] = std::min(best[2 * i], cost[0] + cost[1]);
      best[2 * i + 1] = std::min(best[2 * i + 1], cost[2] + cost[3]);
      best[2 * j] = std::min(best[2 * j], cost[0] + cost[2]);
      best[2 * j + 1] = std::min(best[2 * j + 1], cost[1] + cost[3]);
    }
  }
  for (std::size_t i = 0; i < 2 * n; ++i) {
    alone.side(i / 2, i % 2 == 0, weights.data());
    best[i] = std::min(best[i], costs.of(part.leaf(weights.data()).errors, 1));
  }
  return best;
}

Leaf Best::leaf(const std::uint64_t* support) {
  class_weights(rows_, support, weights_.data());
  return rows_.leaf(weights_.data());
}

std::int64_t Best::lower_bound(const std::uint64_t* support) {
  if (rows_.target.has_numbers()) {
    return std::min(costs_.of(leaf(support).errors, 1), costs_.of(unavoidable(support), 2));
  }
  weigh(support, rows_.minority.data(), rows_.segments, rows_.n_classes, weights_.data());
  const std::int64_t least = std::accumulate(weights_.begin(), weights_.end(), std::int64_t{0});
  return std::min(costs_.of(leaf(support).errors, 1), costs_.of(least, 2));
}

std::int64_t Best::unavoidable(const std::uint64_t* support) const {
  std::int64_t sum = 0;
  for (std::size_t w = 0; w < rows_.n_words; ++w) {
    for (std::uint64_t rest = support[w] & rows_.once[w]; rest != 0; rest &= rest - 1) {
      const auto bit = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
      sum += rows_.least[rows_.row_of_bit[bit]];
    }
  }
  return sum;
}

void Memory::hold(std::size_t bytes) {
  meter_.change(0, bytes);
  bytes_ += bytes;
}

std::optional<Memory::Known> Memory::best(const Key& key, int depth) {
  Shelf& shelf = this->shelf(key);
  const std::scoped_lock lock(shelf.mutex);
  const auto at = static_cast<std::size_t>(depth);
  if (at >= shelf.best.size()) return std::nullopt;
  const auto found = shelf.best[at].find(key);
  if (found == shelf.best[at].end()) return std::nullopt;
  return found->second;
}

void Memory::add_best(const Key& key, int depth, const Known& known) {
  Shelf& shelf = this->shelf(key);
  const std::scoped_lock lock(shelf.mutex);
  const auto at = static_cast<std::size_t>(depth);
  if (at >= shelf.best.size()) shelf.best.resize(at + 1);
  const auto [place, is_new] = shelf.best[at].try_emplace(key, known);
  if (is_new) {
    hold(64);
  } else if (!place->second.exact) {
    place->second = known;
  }
}

std::optional<SideCosts> Memory::sides(const Key& key) {
  Shelf& shelf = this->shelf(key);
  const std::scoped_lock lock(shelf.mutex);
  const auto match = shelf.sides.find(key);
  if (match == shelf.sides.end()) return std::nullopt;
  return match->second;
}

void Memory::add_sides(const Key& key, const SideCosts& sides) {
  const std::size_t bytes = sides.size() * 8 + 96;
  if (sides_bytes_ + bytes >= most_sides) return;
  Shelf& shelf = this->shelf(key);
  const std::scoped_lock lock(shelf.mutex);
  if (!shelf.sides.try_emplace(key, sides).second) return;
  sides_bytes_ += bytes;
  hold(bytes);
}

SideCosts Best::sides(const std::uint64_t* support, const Part& part) {
  const Key key = namer_.name(support);
  if (std::optional<SideCosts> known = memory_->sides(key)) return *std::move(known);
  SideCosts sides = sides_of_depth_2(part.rows, costs_, meter_);
  memory_->add_sides(key, sides);
  return sides;
}

std::int64_t Best::of(const std::uint64_t* support, int depth, std::int64_t upper) {
  if (depth <= 0) return costs_.of(leaf(support).errors, 1);
  const std::int64_t bound = lower_bound(support);
  if (bound >= upper || bound == costs_.of(leaf(support).errors, 1)) return bound;
  const Key key = namer_.name(support);
  const std::optional<Memory::Known> known = memory_->best(key, depth);
  if (known && (known->exact || known->value >= upper)) return known->value;
  meter_.step(1024);
  const std::int64_t value = search(support, depth, upper);
  memory_->add_best(key, depth, {value, value < upper || depth <= 3});
  return value;
}

std::int64_t Best::search(const std::uint64_t* support, int depth, std::int64_t upper) {
  const Part& part = restriction_.of(support);
  if (depth > 3) return by_column(support, part, depth, upper);
  std::int64_t best = costs_.of(leaf(support).errors, 1);
  if (part.rows.cuts.used() && depth > 1) {
    return depth == 3 ? cut_least_of_depth_3(part.rows, costs_, best, meter_)
                      : cut_least_of_depth_2(part.rows, costs_, best, meter_);
  }
  const std::size_t n = part.rows.n_columns;
  SideCosts sides;
  if (depth == 3) {
    sides = this->sides(support, part);
  } else if (depth == 2) {
    sides = sides_of_depth_1(part.rows, costs_);
  } else {
    const SplitErrors errors(part.rows);
    for (std::size_t i = 0; i < 2 * n; ++i) {
      errors.side(i / 2, i % 2 == 0, weights_.data());
      sides.push_back(costs_.of(rows_.leaf(weights_.data()).errors, 1));
    }
  }
  for (std::size_t i = 0; i < n; ++i) best = std::min(best, sides[2 * i] + sides[2 * i + 1]);
  return best;
}

std::int64_t Best::by_column(const std::uint64_t* support, const Part& part, int depth,
                             std::int64_t upper) {
  // Columns in the order of what one split on them costs.
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  const SplitErrors errors(part.rows);
  for (std::size_t i = 0; i < part.rows.n_columns; ++i) {
    std::int64_t wrong = 0;
    for (const bool yes : {true, false}) {
      errors.side(i, yes, weights_.data());
      wrong += rows_.leaf(weights_.data()).errors;
    }
    order.emplace_back(wrong, part.column[i]);
  }
  std::sort(order.begin(), order.end());
  const std::int64_t first = std::min(costs_.of(leaf(support).errors, 1), upper);
  const std::size_t n = order.size(), steps = n * n * n * n * (rows_.n_words / 8 + 8);
  const std::size_t n_workers = workers(n, steps, meter_);
  if (n_workers == 1) {
    std::int64_t best = first;
    for (const auto& [wrong, column] : order) {
      best = std::min(best, asking(support, column, depth, best));
    }
    return best;
  }
  std::vector<Best> helpers(n_workers, *this);
  std::atomic<std::int64_t> best = first;
  each(n, steps, meter_, [&](std::size_t i, std::size_t worker) {
    const std::int64_t own = helpers[worker].asking(support, order[i].second, depth, best);
    std::int64_t before = best;
    while (own < before && !best.compare_exchange_weak(before, own)) {
    }
  });
  return best;
}

std::int64_t Best::asking(const std::uint64_t* support, std::size_t column, int depth,
                          std::int64_t upper) {
  Words yes(rows_.n_words), no(rows_.n_words);
  const std::uint64_t* bits = rows_.column(column);
  for (std::size_t w = 0; w < rows_.n_words; ++w) {
    yes[w] = support[w] & bits[w];
    no[w] = support[w] & ~bits[w];
  }
  const std::int64_t bound_no = lower_bound(no.data());
  const std::int64_t bound_yes = lower_bound(yes.data());
  if (bound_yes + bound_no >= upper) return bound_yes + bound_no;
  const std::int64_t on_yes = of(yes.data(), depth - 1, upper - bound_no);
  if (on_yes + bound_no >= upper) return on_yes + bound_no;
  return on_yes + of(no.data(), depth - 1, upper - on_yes);
}

}  // namespace orderless::rashomon
