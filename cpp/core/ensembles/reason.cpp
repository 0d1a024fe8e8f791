#include "core/ensembles/reason.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/ensembles/evaluate.hpp"
#include "core/ensembles/search.hpp"

namespace orderless::ensembles {

Reasons::Reasons(const Sum& sum, std::span<const std::uint8_t> box, std::int32_t label,
                 Watch& watch)
    : sum_(sum),
      box_(box),
      label_(label),
      watch_(watch),
      rivals_(rivals(sum, label)),
      sums_(sum.n_scores()) {
  for (std::size_t f = 0; f < sum.n_features(); ++f) {
    std::vector<std::int32_t> own;
    for (std::int32_t b = 0; b < sum.width(f); ++b) {
      if (has(f, b)) own.push_back(b);
    }
    row_.push_back(own[own.size() / 2]);
    if (own.size() < at(sum.width(f))) order_.push_back(f);
  }
  find_order();
}

void Reasons::find_order() {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> most(sum_.n_features(), least);
  const Box everything(sum_.n_bins(), 1);
  const Local local(sum_, everything);
  const std::vector<std::int32_t> cell = local.near(row_);
  for (const Rival& rival : rivals_) {
    const Objective objective(local, rival.weights);
    for (std::size_t k = 0; k < cell.size(); ++k) {
      const std::int64_t top = std::ranges::max(by_bin(objective, cell, k)) - rival.target;
      std::int64_t& own = most[local.features()[k].feature];
      own = std::max(own, top);
    }
  }
  std::ranges::stable_sort(order_, {}, [&](std::size_t f) { return most[f]; });
}

Box Reasons::keeping(std::span<const std::uint8_t> kept) const {
  Box out(box_.size(), 1);
  for (std::size_t f = 0; f < kept.size(); ++f) {
    const auto first = static_cast<std::ptrdiff_t>(sum_.first_bin(f));
    if (kept[f] != 0) std::copy_n(box_.begin() + first, sum_.width(f), out.begin() + first);
  }
  return out;
}

bool Reasons::is_other(Cell cell) {
  if (replay(sum_, cell, sums_) == label_ || !sum_.possible(cell)) return false;
  adverse_.add(std::move(cell));
  return true;
}

/// Whether a box is proven to have the class only. `found_`: it is not, as `adverse_` shows.
bool Reasons::certain(const Box& box) {
  const Local local(sum_, box);
  std::vector<Goal> left;
  found_ = true;
  for (const Rival& rival : rivals_) {
    Objective objective(local, rival.weights);
    if (objective.bound() < rival.target) continue;
    std::vector<std::int32_t> cell = local.near(adverse_.cells().empty() ? row_ : adverse_.last());
    climb(objective, cell, rival.enough);
    if (is_other(local.cell(cell))) return false;
    left.push_back({std::move(objective), rival.target});
  }
  for (Goal& goal : left) {
    std::vector<Goal> goals{std::move(goal)};
    Search search(local, goals, watch_, [&](std::span<const std::int32_t> cell) {
      return is_other(local.cell(cell)) ? Worth::found : Worth::other;
    });
    const Ending ending = search.run();
    found_ = ending == Ending::found;
    if (ending != Ending::none) return false;
  }
  return true;
}

/// How many of some features, from the first on, cannot all be left out: up to the last in which
/// the completion that was found differs from the box, which is made to differ in few.
std::size_t Reasons::last_apart(std::span<const std::size_t> some) {
  if (!found_) return some.size();
  for (std::size_t n = some.size(); n > 1; --n) {
    const std::size_t f = some[n - 1];
    if (has(f, adverse_.last()[f])) continue;
    Cell nearer = adverse_.last();
    nearer[f] = row_[f];
    if (!is_other(std::move(nearer))) return n;
  }
  return 1;
}

void Reasons::shrink(std::vector<std::uint8_t>& kept) {
  std::vector<std::size_t> todo;
  std::ranges::copy_if(order_, std::back_inserter(todo), [&](std::size_t f) { return kept[f]; });
  const auto without = [&](std::size_t begin, std::size_t end) {
    static_cast<void>(watch_.up());  // lets Ctrl-C through
    std::vector<std::uint8_t> less = kept;
    for (std::size_t i = begin; i < end; ++i) less[todo[i]] = 0;
    return certain(keeping(less));
  };
  const auto leave_out = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) kept[todo[i]] = 0;
  };
  const auto apart = [&](std::size_t begin, std::size_t end) {
    return begin + last_apart(std::span(todo).subspan(begin, end - begin));
  };
  std::size_t i = 0;
  std::size_t step = 1;
  while (i < todo.size()) {
    std::size_t end = std::min(i + step, todo.size());
    if (without(i, end)) {
      leave_out(i, end);
      i = end;
      step *= 2;
      continue;
    }
    std::size_t low = i;
    end = apart(i, end);
    while (end - low > 1) {  // those up to `low` can be left out, those up to `end` cannot
      const std::size_t middle = low + (end - low) / 2;
      if (without(i, middle)) {
        low = middle;
      } else {
        end = apart(i, middle);
      }
    }
    leave_out(i, low);
    i = end;
    step = 1;
  }
}

Box Reasons::widen(std::span<const std::uint8_t> kept, std::size_t most_nodes) {
  Box box = keeping(kept);
  const Box everything(box.size(), 1);
  std::size_t nodes = most_nodes;
  for (std::size_t i = order_.size(); i-- > 0;) {
    const std::size_t f = order_[i];
    if (kept[f] == 0) continue;
    static_cast<void>(watch_.up());  // lets Ctrl-C through
    watch_.at_most(nodes);
    const bool proven = grow(sum_, box, f, everything, label_, watch_, adverse_);
    if (most_nodes != 0) {  // where one search is too long, the next is likely to be
      nodes = proven ? std::min(most_nodes, 2 * nodes) : std::max<std::size_t>(1, nodes / 4);
    }
  }
  watch_.at_most(0);
  return box;
}

}  // namespace orderless::ensembles
