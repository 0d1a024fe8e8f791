#include "core/rashomon/measure.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "core/rashomon/kernels.hpp"

namespace orderless::rashomon {

Point inverse(const Point& a) {
  // a^(p - 2): all bits of p - 2 = 2^61 - 3 but the second are 1.
  Point out{1, 1}, power = a;
  for (int bit = 0; bit < 61; ++bit) {
    if (bit != 1) out = times(out, power);
    power = times(power, power);
  }
  return out;
}

namespace {

/// Appends the weights of a feature's bins: of what lies between its cuts, and of NaN.
void append_weights(std::vector<Point>& out, const Domain& domain, const FeatureWeights& random,
                    std::span<const double> cuts) {
  if (!domain.ordered) {
    out.insert(out.end(), random.values.begin(), random.values.end());
    return;
  }
  Point before{0, 0};
  for (const double cut : cuts) {
    const Point up_to = same::element(random, domain, cut);
    out.push_back(minus(up_to, before));
    before = up_to;
  }
  out.push_back(minus(same::element(random, domain, domain.upper), before));
  if (domain.nan) out.push_back(same::nan_weight(random));
}

}  // namespace

SpaceMeasure::SpaceMeasure(const Meaning& meaning, std::span<const Domain> domains,
                           std::span<const FeatureWeights> weights) {
  const TreeView& conditions = meaning.conditions;
  const std::size_t n_columns = conditions.size();
  // The cuts of each feature that is asked about.
  std::map<std::int32_t, std::vector<double>> cuts;
  std::map<std::int32_t, std::size_t> n_asking, first_bin;
  for (std::size_t j = 0; j < n_columns; ++j) {
    const std::int32_t f = conditions.feature[j];
    if (f < 0) continue;
    std::vector<double>& own = cuts[f];
    const Domain& domain = domains[static_cast<std::size_t>(f)];
    const double cut = conditions.threshold[j];
    if (domain.ordered && cut > domain.lower && cut < domain.upper) own.push_back(cut);
    if (++n_asking[f] > 1) independent_ = false;
  }
  for (auto& [f, own] : cuts) {
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    first_bin[f] = weight_.size();
    append_weights(weight_, domains[static_cast<std::size_t>(f)],
                   weights[static_cast<std::size_t>(f)], own);
  }
  n_bins_ = weight_.size();
  n_words_ = (n_bins_ + 63) / 64;
  one_.assign(n_columns * n_words_, 0);
  feature_bins_.assign(n_columns * n_words_, 0);
  alone_.assign(n_columns, Point{0, 0});
  for (std::size_t j = 0; j < n_columns; ++j) {
    const std::int32_t f = conditions.feature[j];
    const bool one_is_true = meaning.one_is_true[j] != 0;
    if (f < 0) {
      alone_[j] = one_is_true ? Point{1, 1} : Point{0, 0};
      continue;
    }
    const Domain& domain = domains[static_cast<std::size_t>(f)];
    const std::vector<double>& own = cuts[f];
    const std::size_t begin = first_bin[f];
    const std::size_t n = domain.ordered ? own.size() + 1 + (domain.nan ? 1U : 0U)
                                         : static_cast<std::size_t>(domain.n_values);
    std::vector<std::uint8_t> holds(n, 0);
    if (domain.ordered) {
      for (std::size_t b = 0; b <= own.size(); ++b) {
        const double top = b < own.size() ? own[b] : domain.upper;
        holds[b] = top <= conditions.threshold[j] ? 1 : 0;
      }
      if (domain.nan) holds[n - 1] = conditions.nan_true[j];
    } else {
      for (const std::int32_t value : conditions.set(j)) holds[static_cast<std::size_t>(value)] = 1;
    }
    for (std::size_t b = 0; b < n; ++b) {
      const std::size_t bin = begin + b;
      const std::uint64_t bit = std::uint64_t{1} << (bin % 64);
      feature_bins_[j * n_words_ + bin / 64] |= bit;
      if ((holds[b] != 0) != one_is_true) continue;
      one_[j * n_words_ + bin / 64] |= bit;
      alone_[j] = plus(alone_[j], weight_[bin]);
    }
  }
}

Words SpaceMeasure::whole() const {
  Words box(n_words_, 0);
  for (std::size_t b = 0; b < n_bins_; ++b) box[b / 64] |= std::uint64_t{1} << (b % 64);
  return box;
}

void SpaceMeasure::cut(const std::uint64_t* box, std::size_t column, bool is_one,
                       std::uint64_t* out) const {
  const std::uint64_t* one = one_.data() + column * n_words_;
  const std::uint64_t* own = feature_bins(column);
  for (std::size_t w = 0; w < n_words_; ++w) {
    out[w] = box[w] & (~own[w] | (is_one ? one[w] : ~one[w]));
  }
}

Point SpaceMeasure::share(const std::uint64_t* box, std::size_t column) {
  if (independent_) return alone_[column];
  const std::uint64_t* one = one_.data() + column * n_words_;
  const std::uint64_t* own = feature_bins(column);
  Words side(n_words_);
  Point all{0, 0}, on{0, 0};
  bool any = false;
  for (std::size_t w = 0; w < n_words_; ++w) {
    side[w] = box[w] & own[w];
    for (std::uint64_t rest = side[w]; rest != 0; rest &= rest - 1) {
      const std::uint64_t bit = rest & (~rest + 1);
      const Point& weight = weight_[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
      all = plus(all, weight);
      if ((one[w] & bit) != 0) on = plus(on, weight);
      any = true;
    }
  }
  if (!any) return alone_[column];
  const Namer namer(n_words_);
  const auto [number, is_new] = sides_.add(namer.name(side.data()));
  if (is_new) inverses_.push_back(inverse(all));
  return times(on, inverses_[number]);
}

}  // namespace orderless::rashomon
