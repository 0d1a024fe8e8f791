#include "core/reasons/prices.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/bits.hpp"

namespace orderless::reasons {

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

}  // namespace orderless::reasons
