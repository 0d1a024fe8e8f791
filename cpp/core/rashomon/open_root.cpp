#include "core/rashomon/open_root.hpp"

#include <algorithm>
#include <tuple>

namespace orderless::rashomon {

OpenRoot::OpenRoot(const Counts& counts, Meter& meter)
    : counts_(counts), graph_(counts.graph()), most_leaves_(counts.most_leaves(0)) {
  Held held(meter);
  std::vector<Cell> room;
  const auto read = [&](std::uint32_t node) {
    const auto [found, is_new] = sides_.try_emplace(node);
    if (!is_new) return;
    Side& side = found->second;
    for (std::uint32_t i = 0; const Cell& cell : counts_.table(node, room)) {
      auto kind = std::find_if(side.begin(), side.end(), [&](const Kind& each) {
        return each.leaves == cell.leaves && each.groups == cell.groups;
      });
      if (kind == side.end()) {
        side.emplace_back();
        kind = side.end() - 1;
        kind->leaves = cell.leaves;
        kind->groups = cell.groups;
      }
      const auto add = [](std::vector<std::uint64_t>& sums, Count n) {
        sums.push_back((sums.empty() ? 0 : sums.back()) + n.low());
      };
      kind->cost.push_back(cell.cost);
      kind->cell.push_back(i++);
      add(kind->up_to, counts_.count(cell));
      add(kind->nontrivial, cell.nontrivial);
      bytes_ += 28;
    }
    held.set(bytes_);
    meter.step(64);
  };
  for (const Edge& edge : graph_.of(0)) {
    if (!counts_.has(0, edge)) continue;
    read(edge.when_true);
    read(edge.when_false);
  }
}

bool OpenRoot::leaf_is_in() const {
  return graph_.leaf_cost(0) <= counts_.view().bound && most_leaves_ >= 1 && counts_.view().fits(0);
}

template <class Use>
void OpenRoot::each_pair(Use&& use) const {
  std::uint32_t number = 0;
  for (const Edge& edge : graph_.of(0)) {
    const std::uint32_t at = number++;
    if (!counts_.has(0, edge)) continue;
    const bool same = graph_.label[edge.when_true] == graph_.label[edge.when_false];
    for (const Kind& a : side(edge.when_true)) {
      for (const Kind& b : side(edge.when_false)) {
        if (a.leaves + b.leaves > most_leaves_) continue;
        const std::uint64_t groups = a.groups | b.groups | counts_.groups_of(edge.column);
        if (!counts_.view().fits(groups)) continue;
        const bool is_trivial = same && a.leaves + b.leaves == 2;
        if (is_trivial && !counts_.view().trivial) continue;
        use(at, a, b, is_trivial);
      }
    }
  }
}

Count OpenRoot::at_most(std::int64_t cost, bool nontrivial, Meter& meter) const {
  Count sum = leaf_is_in() && graph_.leaf_cost(0) <= cost ? 1 : 0;
  each_pair([&](std::uint32_t, const Kind& a, const Kind& b, bool is_trivial) {
    if (nontrivial && is_trivial) return;
    meter.step(a.cost.size() + b.cost.size());
    const auto& on_true = nontrivial ? a.nontrivial : a.up_to;
    const auto& on_false = nontrivial ? b.nontrivial : b.up_to;
    // The dearer the one side, the fewer of the other.
    std::size_t j = b.cost.size();
    for (std::size_t i = 0; i < a.cost.size(); ++i) {
      while (j > 0 && a.cost[i] + b.cost[j - 1] > cost) --j;
      if (j == 0) break;
      sum += static_cast<Count>(Kind::own(on_true, i)) * on_false[j - 1];
    }
  });
  return sum;
}

std::vector<RootWay> OpenRoot::between(std::int64_t low, std::int64_t high) const {
  std::vector<RootWay> out;
  const std::int64_t leaf = graph_.leaf_cost(0);
  if (leaf_is_in() && low <= leaf && leaf <= high) {
    out.push_back({leaf, 1, static_cast<std::uint32_t>(graph_.of(0).size()), 0, 0, 1});
  }
  each_pair([&](std::uint32_t edge, const Kind& a, const Kind& b, bool) {
    for (std::size_t i = 0; i < a.cost.size(); ++i) {
      auto at = std::lower_bound(b.cost.begin(), b.cost.end(), low - a.cost[i]);
      for (; at != b.cost.end() && a.cost[i] + *at <= high; ++at) {
        const auto j = static_cast<std::size_t>(at - b.cost.begin());
        const Count n = static_cast<Count>(Kind::own(a.up_to, i)) * Kind::own(b.up_to, j);
        if (n == 0) continue;
        out.push_back({a.cost[i] + *at, a.leaves + b.leaves, edge, a.cell[i], b.cell[j], n});
      }
    }
  });
  std::sort(out.begin(), out.end(), [](const RootWay& a, const RootWay& b) {
    return std::tie(a.cost, a.leaves, a.edge, a.on_true, a.on_false) <
           std::tie(b.cost, b.leaves, b.edge, b.on_true, b.on_false);
  });
  return out;
}

OpenRoot::Window OpenRoot::around(Count position, Count about, Meter& meter) const {
  // Always: fewer than position + 1 trees cost less than low, and more than position at most high.
  std::int64_t low = graph_.optimum, high = counts_.view().bound;
  Count before = 0, end = counts_.n();
  while (low < high && end - before > about) {
    const std::int64_t middle = low + (high - low) / 2;
    const Count n = at_most(middle, false, meter);
    if (n > position) {
      high = middle;
      end = n;
    } else {
      low = middle + 1;
      before = n;
    }
  }
  return {between(low, high), before};
}

}  // namespace orderless::rashomon
