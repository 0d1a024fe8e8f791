#include "core/ensembles/complete.hpp"

#include <algorithm>

#include "core/ensembles/evaluate.hpp"

namespace orderless::ensembles {

namespace {

constexpr std::size_t abreast = 8;    // cells that walk side by side
constexpr std::size_t at_once = 256;  // cells for which a tree is looked at
constexpr std::uint16_t never = 65'535;
constexpr int shallow = 8;  // up to this depth all go on to the end, and nobody looks who is there

}  // namespace

Complete::Complete(const Sum& sum) : sum_(&sum), quick_(sum.n_features() < 30'000) {
  for (std::size_t f = 0; f < sum.n_features(); ++f) {
    quick_ = quick_ && sum.feature(f).ordered && sum.feature(f).n_bins < 65'000;
    nan_ = nan_ || sum.has_nan(f);
  }
  if (!quick_) return;
  // With NaN above all cuts; with NaN below them, if it is a value; and above all.
  width_ = (nan_ ? 2 : 1) * sum.n_features() + 1;
  for (std::size_t t = 0; t < sum.n_trees(); ++t) {
    roots_.push_back(static_cast<std::int32_t>(steps_.size()));
    depth_.push_back(write(sum.root(t)));
  }
}

int Complete::write(std::int32_t node) {
  const Node& own = sum_->node(node);
  const auto here = steps_.size();
  if (own.feature < 0) {
    steps_.push_back({static_cast<std::uint16_t>(width_ - 1), 0, static_cast<std::int32_t>(here)});
    leaf_.push_back(own.cut);
    value_.push_back(sum_->values(own.cut)[0]);
    return 0;
  }
  const std::size_t feature =
      at(own.feature) + (nan_ && sum_->nan_true(node) ? sum_->n_features() : 0);
  // Codes are bins from 1 on, so that "at most bin -1" is one too.
  steps_.push_back(
      {static_cast<std::uint16_t>(feature), static_cast<std::uint16_t>(own.cut + 1), 0});
  leaf_.push_back(-1);
  value_.push_back(0);
  const int yes = write(own.yes);
  steps_[here].no = static_cast<std::int32_t>(steps_.size());
  return 1 + std::max(yes, write(own.no));
}

/// The leaves, as steps, that cells side by side come to in a tree.
void Complete::walk(std::size_t tree, const std::uint16_t* codes, std::int32_t* out) const {
  const Step* const steps = steps_.data();
  std::int32_t node[abreast];
  for (std::int32_t& own : node) own = roots_[tree];
  const auto step = [&] {
    for (std::size_t k = 0; k < abreast; ++k) {
      const Step here = steps[node[k]];
      // Selected by bits, not by ?:, of which compilers like to make branches.
      const std::int32_t above = here.cut - codes[std::size_t{here.feature} * abreast + k];
      node[k] += 1 + ((here.no - node[k] - 1) & (above >> 31));
    }
  };
  if (depth_[tree] <= shallow) {
    for (int i = 0; i < depth_[tree]; ++i) step();
  } else {
    std::int32_t moved = 1;
    while (moved != 0) {
      for (int i = 0; i < 3; ++i) step();
      moved = 0;
      for (std::size_t k = 0; k < abreast; ++k) moved |= steps[node[k]].no ^ node[k];
    }
  }
  std::copy_n(node, abreast, out);
}

template <class T>
void Complete::add(std::span<const std::uint16_t> codes, std::size_t n, std::span<T> sums) const {
  const std::size_t n_scores = sum_->n_scores();
  for (std::size_t t = 0; t < roots_.size(); ++t) {
    const std::int32_t score = sum_->score(t);
    for (std::size_t row = 0; row < n; row += abreast) {
      std::int32_t node[abreast];
      walk(t, codes.data() + row * width_, node);
      if (n_scores == 1) {
        for (std::size_t k = 0; k < std::min(abreast, n - row); ++k) {
          sums[row + k] += static_cast<T>(value_[at(node[k])]);
        }
        continue;
      }
      for (std::size_t k = 0; k < std::min(abreast, n - row); ++k) {
        const double* values = sum_->values(leaf_[at(node[k])]);
        T* to = sums.data() + (row + k) * n_scores;
        if (score >= 0) {
          to[score] += static_cast<T>(values[score]);
          continue;
        }
        for (std::size_t s = 0; s < n_scores; ++s) to[s] += static_cast<T>(values[s]);
      }
    }
  }
}

void Complete::run(std::span<const std::int32_t> cells, std::size_t n, std::span<double> sums,
                   std::span<std::int32_t> label) const {
  const std::size_t n_features = sum_->n_features();
  const std::size_t n_scores = sum_->n_scores();
  if (!quick_) {
    for (std::size_t i = 0; i < n; ++i) {
      label[i] = replay(*sum_, cells.subspan(i * n_features, n_features),
                        sums.subspan(i * n_scores, n_scores));
    }
    return;
  }
  const std::size_t n_groups = (std::min(n, at_once) + abreast - 1) / abreast;
  std::vector<std::uint16_t> codes(n_groups * abreast * width_, never);
  std::vector<float> floats(sum_->single() ? std::min(n, at_once) * n_scores : 0);
  for (std::size_t first = 0; first < n; first += at_once) {
    const std::size_t some = std::min(at_once, n - first);
    for (std::size_t i = 0; i < some; ++i) {
      std::uint16_t* own = &codes[i / abreast * abreast * width_ + i % abreast];
      for (std::size_t f = 0; f < n_features; ++f) {
        const std::int32_t bin = cells[(first + i) * n_features + f];
        const bool nan = bin == sum_->feature(f).n_bins;
        own[f * abreast] = nan ? never : static_cast<std::uint16_t>(bin + 1);
        if (nan_) own[(n_features + f) * abreast] = nan ? 0 : static_cast<std::uint16_t>(bin + 1);
      }
    }
    add_all(codes, some, floats, sums.subspan(first * n_scores, some * n_scores));
    for (std::size_t i = first; i < first + some; ++i) {
      label[i] =
          label_of(cells.subspan(i * n_features, n_features), sums.subspan(i * n_scores, n_scores));
    }
  }
}

void Complete::add_all(std::span<const std::uint16_t> codes, std::size_t n,
                       std::vector<float>& floats, std::span<double> sums) const {
  const auto base = [&](std::size_t i) { return sum_->base(i % sum_->n_scores()); };
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sum_->base_last() ? 0 : base(i);
  if (!sum_->single()) {
    add<double>(codes, n, sums);
    for (std::size_t i = 0; i < sums.size() && sum_->base_last(); ++i) sums[i] += base(i);
    return;
  }
  const std::span<float> own(floats.data(), sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) own[i] = static_cast<float>(sums[i]);
  add<float>(codes, n, own);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sum_->base_last()) own[i] += static_cast<float>(base(i));
    sums[i] = static_cast<double>(own[i]);
  }
}

std::int32_t Complete::label_of(std::span<const std::int32_t> cell,
                                std::span<const double> sums) const {
  if (sum_->rule() == Rule::number) return -1;
  if (sum_->rule() == Rule::largest) return largest(*sum_, sums);
  if (sum_->window() > 0) {  // what is close to a cut is looked at in whole numbers
    std::vector<double> again(sums.size());
    return replay(*sum_, cell, again);
  }
  return static_cast<std::int32_t>(
      std::ranges::count_if(sum_->cuts(), [&](double cut) { return sums[0] > cut; }));
}

}  // namespace orderless::ensembles
