#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/acquisition/problem.hpp"

namespace orderless::acquisition {

/// Visits what a policy does with all rows. `choose(situation)`: the next purchase, or -1 to stop.
/// `stop`: whether determined rows end there.
template <class Choose>
void unfold(const Acquisition& problem, PolicyTree& out, std::int32_t from, std::int32_t how,
            std::vector<std::uint32_t>& rows, std::size_t begin, std::size_t end,
            const std::uint64_t* leaves, std::vector<std::uint8_t>& bought, Rest rest, bool stop,
            Choose&& choose) {
  const std::int32_t node = out.add(from, how);
  const auto at = static_cast<std::size_t>(node);
  for (std::size_t i = begin; i < end; ++i) out.weight[at] += problem.weight[rows[i]];
  const std::int32_t label = problem.class_of(leaves);
  std::int32_t purchase = -1;
  if (label < 0 || !stop) {
    const std::span<const std::uint32_t> here(rows.data() + begin, end - begin);
    purchase = choose(Situation{here, leaves, bought, rest});
  }
  const auto p = static_cast<std::size_t>(purchase);
  const bool free = purchase >= 0 && purchase == problem.free;
  if (purchase < 0 || !(free || rest.allows(problem.cost[p]))) {
    out.label[at] = label;
    if (label < 0) out.missed[at] = out.weight[at];
    return;
  }
  out.purchase[at] = purchase;
  problem.sort_by_outcome(std::span(rows).subspan(begin, end - begin), p);
  bought[p] = 1;
  const Rest left = free ? rest : rest.after(problem.cost[p]);
  std::vector<std::uint64_t> inside(problem.n_words);
  for (std::size_t i = begin; i < end;) {
    const std::int32_t which = problem.outcome_of(rows[i], p);
    std::size_t j = i;
    while (j < end && problem.outcome_of(rows[j], p) == which) ++j;
    const std::uint64_t* mask = problem.mask(p, which);
    for (std::size_t w = 0; w < inside.size(); ++w) inside[w] = leaves[w] & mask[w];
    unfold(problem, out, node, which, rows, i, j, inside.data(), bought, left, stop, choose);
    i = j;
  }
  bought[p] = 0;
}

}  // namespace orderless::acquisition
