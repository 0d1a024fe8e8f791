#include "core/ensembles/row_bins.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace orderless::ensembles {

using rows::Column;

namespace {

template <class T>
T item(const std::byte* first, std::ptrdiff_t stride, std::size_t row) {
  T value;
  std::memcpy(&value, first + stride * static_cast<std::ptrdiff_t>(row), sizeof(T));
  return value;
}

/// How many cuts a value is above, without branches that depend on it.
std::int32_t cuts_below(std::span<const double> cuts, double value) {
  const double* base = cuts.data();
  std::size_t n = cuts.size();
  while (n > 1) {
    const std::size_t half = n / 2;
    base += half & (std::size_t{0} - static_cast<std::size_t>(base[half - 1] < value));
    n -= half;
  }
  const std::ptrdiff_t more = n == 1 && *base < value ? 1 : 0;
  return static_cast<std::int32_t>(base - cuts.data() + more);
}

}  // namespace

RowBins::RowBins(const Sum& sum, std::vector<RowFeature> features)
    : sum_(&sum), features_(std::move(features)) {
  bool fit = features_.size() == sum.n_features();
  for (std::size_t f = 0; f < features_.size() && fit; ++f) {
    const std::int32_t n = sum.feature(f).n_bins;
    fit = sum.feature(f).ordered ? features_[f].cuts.size() + 1 == at(n)
                                 : std::ranges::all_of(features_[f].bins, [n](std::int32_t b) {
                                     return b >= 0 && b < n;
                                   });
  }
  if (!fit) throw std::invalid_argument("cuts and bins are not those of the sum's features");
}

std::int32_t RowBins::bin(std::size_t f, double value) const {
  if (!std::isnan(value)) return cuts_below(features_[f].cuts, value);
  return sum_->has_nan(f) ? sum_->feature(f).n_bins : -1;
}

void RowBins::numbers(std::size_t f, const Column& column, std::size_t first, std::size_t n,
                      std::int32_t* out) const {
  const std::size_t step = features_.size();
  const std::span<const double> cuts = features_[f].cuts;
  const std::int32_t unknown = sum_->has_nan(f) ? sum_->feature(f).n_bins : -1;
  const auto run = [&]<class T>(T) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto value = static_cast<double>(item<T>(column.first, column.stride, first + i));
      const std::int32_t below = cuts_below(cuts, value);
      out[i * step] = value != value ? unknown : below;
    }
  };
  column.kind == Column::Kind::f32 ? run(float{}) : run(double{});
}

void RowBins::cells(std::span<const Column> columns, std::size_t first, std::size_t n,
                    std::span<std::int32_t> out) const {
  std::vector<std::uint8_t> allowed;
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const Column& column = columns[features_[f].column];
    const std::size_t step = features_.size();
    if (column.kind == Column::Kind::f64 || column.kind == Column::Kind::f32) {
      numbers(f, column, first, n, out.data() + f);
      continue;
    }
    allowed.resize(at(sum_->width(f)));
    for (std::size_t i = 0; i < n; ++i) {
      if (column.kind == Column::Kind::code) {
        const auto code = item<std::int32_t>(column.first, column.stride, first + i);
        out[i * step + f] = code < 0 ? -1 : features_[f].bins[at(code)];
        continue;
      }
      box_of(f, column, first + i, allowed.data());
      const auto some = std::ranges::find_if(allowed, [](auto own) { return own != 0; });
      const bool one = some != allowed.end() &&
                       std::none_of(some + 1, allowed.end(), [](auto own) { return own != 0; });
      out[i * step + f] = one ? static_cast<std::int32_t>(some - allowed.begin()) : -1;
    }
  }
}

void RowBins::box(std::span<const Column> columns, std::size_t row,
                  std::span<std::uint8_t> out) const {
  for (std::size_t f = 0; f < features_.size(); ++f) {
    box_of(f, columns[features_[f].column], row, out.data() + sum_->first_bin(f));
  }
}

void RowBins::box_of(std::size_t f, const Column& column, std::size_t row,
                     std::uint8_t* out) const {
  const auto width = at(sum_->width(f));
  std::int32_t only = -1;
  switch (column.kind) {
    case Column::Kind::absent:
      break;
    case Column::Kind::f64:
      only = bin(f, item<double>(column.first, column.stride, row));
      break;
    case Column::Kind::f32:
      only = bin(f, static_cast<double>(item<float>(column.first, column.stride, row)));
      break;
    case Column::Kind::code: {
      const auto code = item<std::int32_t>(column.first, column.stride, row);
      only = code < 0 ? -1 : features_[f].bins[at(code)];
      break;
    }
    case Column::Kind::between:
      box_between(f, column, row, out);
      return;
    case Column::Kind::among: {
      std::fill(out, out + width, std::uint8_t{0});
      const std::byte* own = column.first + column.stride * static_cast<std::ptrdiff_t>(row);
      for (std::size_t v = 0; v < features_[f].bins.size(); ++v) {
        if (own[v] != std::byte{0}) out[at(features_[f].bins[v])] = 1;
      }
      return;
    }
  }
  std::fill(out, out + width, std::uint8_t{only < 0});
  if (only >= 0) out[only] = 1;
}

void RowBins::box_between(std::size_t f, const Column& column, std::size_t row,
                          std::uint8_t* out) const {
  const auto low = item<double>(column.first, column.stride, row);
  const auto high = item<double>(column.second, column.second_stride, row);
  const std::int32_t n = sum_->feature(f).n_bins;
  const std::vector<double>& cuts = features_[f].cuts;
  const bool number = !std::isnan(low);
  const std::int32_t begin = number ? cuts_below(cuts, low) : n;
  const std::int32_t end = std::isnan(high) ? n - 1 : cuts_below(cuts, high);
  const bool all = !number && !sum_->has_nan(f);
  for (std::int32_t b = 0; b < n; ++b) out[b] = all || (b >= begin && b <= end) ? 1 : 0;
  if (sum_->has_nan(f)) out[n] = std::isnan(high) ? 1 : 0;
}

}  // namespace orderless::ensembles
