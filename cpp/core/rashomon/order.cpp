#include "core/rashomon/order.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace orderless::rashomon {

namespace {

/// Sorts one cell; `room` and `start` are used in between.
void sort_cell(Standing* begin, std::size_t n, const std::vector<Function>& functions,
               std::vector<Standing>& room, std::vector<std::uint32_t>& start) {
  const auto before = [&](const Standing& a, const Standing& b) {
    if (a.value != b.value) return a.value < b.value;
    const Function& f = functions[a.number];
    const Function& g = functions[b.number];
    return f.value[1] != g.value[1] ? f.value[1] < g.value[1] : f.groups < g.groups;
  };
  if (n < 64) {
    std::sort(begin, begin + n, before);
    return;
  }
  // Values are below 2^61: about four of them in each piece.
  const auto bits = static_cast<std::size_t>(std::bit_width(n / 4));
  const auto piece = [&](const Standing& each) { return each.value >> (61 - bits); };
  start.assign((std::size_t{1} << bits) + 1, 0);
  for (std::size_t i = 0; i < n; ++i) ++start[piece(begin[i]) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  room.assign(begin, begin + n);
  for (const Standing& each : room) begin[start[piece(each)]++] = each;
  std::uint32_t from = 0;  // a piece now starts where the one before it ends
  for (std::size_t p = 0; p + 1 < start.size(); from = start[p++]) {
    if (start[p] - from > 1) std::sort(begin + from, begin + start[p], before);
  }
}

std::vector<Standing> by_comparing(const std::vector<Function>& functions, const Costs& costs) {
  std::vector<Standing> out(functions.size());
  for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = {functions[i].value[0], i};
  std::sort(out.begin(), out.end(), [&](const Standing& a, const Standing& b) {
    const Function& f = functions[a.number];
    const Function& g = functions[b.number];
    const std::int64_t cost_f = costs.of(f.errors, f.leaves);
    const std::int64_t cost_g = costs.of(g.errors, g.leaves);
    if (cost_f != cost_g) return cost_f < cost_g;
    if (f.leaves != g.leaves) return f.leaves < g.leaves;
    return f.value != g.value ? f.value < g.value : f.groups < g.groups;
  });
  return out;
}

}  // namespace

std::vector<Standing> in_order(const std::vector<Function>& functions, const Costs& costs) {
  std::vector<Standing> out(functions.size());
  if (functions.empty()) return out;
  // Numbers of cells: by errors and leaves where that is a small table, else as they sort.
  struct Cell {
    std::int64_t cost;
    std::int64_t errors;
    std::uint32_t leaves;
    std::uint32_t n;
  };
  std::int64_t low = functions[0].errors, high = low;
  std::uint32_t most = 0;
  for (const Function& f : functions) {
    low = std::min(low, f.errors);
    high = std::max(high, f.errors);
    most = std::max<std::uint32_t>(most, f.leaves);
  }
  const auto width = static_cast<std::size_t>(most) + 1;
  const bool small = static_cast<std::uint64_t>(high - low) < (functions.size() + 64) / width;
  if (!small) return by_comparing(functions, costs);
  const auto at = [&](std::int64_t errors, std::uint32_t leaves) {
    return static_cast<std::size_t>(errors - low) * width + leaves;
  };
  std::vector<std::uint32_t> start(static_cast<std::size_t>(high - low + 1) * width, 0);
  for (const Function& f : functions) ++start[at(f.errors, f.leaves)];
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (start[i] == 0) continue;
    const std::int64_t errors = low + static_cast<std::int64_t>(i / width);
    const auto leaves = static_cast<std::uint32_t>(i % width);
    cells.push_back({costs.of(errors, leaves), errors, leaves, start[i]});
  }
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.leaves < b.leaves;
  });
  std::uint32_t before = 0;
  for (const Cell& cell : cells) {
    start[at(cell.errors, cell.leaves)] = before;
    before += cell.n;
  }
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const Function& f = functions[i];
    out[start[at(f.errors, f.leaves)]++] = {f.value[0], i};
  }
  std::vector<Standing> room;
  std::vector<std::uint32_t> pieces;
  Standing* begin = out.data();
  for (const Cell& cell : cells) {
    sort_cell(begin, cell.n, functions, room, pieces);
    begin += cell.n;
  }
  return out;
}

}  // namespace orderless::rashomon
