#include "core/ensembles/rivals.hpp"

namespace orderless::ensembles {

namespace {

/// Where class j may beat class c, by the scores: of equals the first wins, and of what the library
/// may not tell apart either.
Rival beats(const Sum& sum, std::size_t j, std::size_t c) {
  Weights weights(sum.n_scores(), 0);
  weights[j] = 1;
  weights[c] = -1;
  const std::int64_t near = sum.slack(j) + sum.slack(c);
  const std::int64_t window = sum.whole_window();
  if (sum.either()) return {weights, -near - window, near + window + 1};
  return {weights, j > c ? 1 - near : -near - window, near + (j > c ? window + 1 : 0)};
}

/// Where the only score may be above a cut, or not above it.
Rival above(const Sum& sum, std::size_t cut) {
  const std::int64_t near = sum.slack(0) + sum.whole_window();
  const std::int64_t at_cut = sum.whole_cuts()[cut];
  return {{1}, at_cut + 1 - near, at_cut + 1 + near};
}
Rival below(const Sum& sum, std::size_t cut) {
  const std::int64_t near = sum.slack(0) + sum.whole_window();
  const std::int64_t at_cut = sum.whole_cuts()[cut];
  return {{-1}, -(at_cut + near), -(at_cut - near)};
}

}  // namespace

std::vector<Rival> rivals(const Sum& sum, std::int32_t label) {
  std::vector<Rival> out;
  const auto c = at(label);
  if (sum.rule() == Rule::largest) {
    for (std::size_t j = 0; j < sum.n_scores(); ++j) {
      if (j != c) out.push_back(beats(sum, j, c));
    }
    return out;
  }
  if (c < sum.cuts().size()) out.push_back(above(sum, c));
  if (c > 0) out.push_back(below(sum, c - 1));
  return out;
}

std::vector<Rival> needs(const Sum& sum, std::int32_t label) {
  std::vector<Rival> out;
  const auto c = at(label);
  if (sum.rule() == Rule::largest) {
    for (std::size_t j = 0; j < sum.n_scores(); ++j) {
      if (j != c) out.push_back(beats(sum, c, j));
    }
    return out;
  }
  if (c > 0) out.push_back(above(sum, c - 1));
  if (c < sum.cuts().size()) out.push_back(below(sum, c));
  return out;
}

}  // namespace orderless::ensembles
