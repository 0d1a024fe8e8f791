#include "core/ensembles/search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace orderless::ensembles {

namespace {

constexpr std::size_t most_judged = 20'000;
constexpr int sweeps_at_root = 6;
constexpr int sweeps_below = 2;         // more of them cost more than they save
constexpr double worth_a_sweep = 0.05;  // of the slack
constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

}  // namespace

Search::Search(const Local& local, std::vector<Goal>& goals, Watch& watch, Judge judge,
               const Barred& barred)
    : local_(local),
      goals_(goals),
      watch_(watch),
      judge_(std::move(judge)),
      barred_(barred),
      open_bound_(std::numeric_limits<std::int64_t>::min()) {}

Ending Search::run() {
  for (const Goal& goal : goals_) {
    if (goal.objective.bound() < goal.target) return Ending::none;
  }
  auto root = std::make_unique<Level>(Level{Left(local_), {}, {}, {}});
  for (const Goal& goal : goals_) root->duals.emplace_back(goal.objective, words_);
  root->dead.assign(root->left.bins.size(), 0);
  levels_.push_back(std::move(root));
  if (explore(0)) return Ending::found;
  return ending_;
}

void Search::end(Ending ending) {
  if (ending_ == Ending::none) ending_ = ending;
}

/// Whether the search has to end; only the bounds of what is open are then still wanted.
bool Search::stopped(std::size_t depth) {
  if (ending_ == Ending::none && watch_.up()) end(Ending::out_of_time);
  if (ending_ == Ending::none) {
    std::size_t bytes = words_.capacity() * sizeof(std::uint64_t);
    for (std::size_t i = 0; i <= depth; ++i) {
      for (const Dual& dual : levels_[i]->duals) bytes += dual.bytes();
    }
    if (bytes > watch_.room()) end(Ending::out_of_room);
  }
  if (ending_ == Ending::none) return false;
  open_bound_ = std::max(open_bound_, levels_[depth]->duals[0].bound());
  return true;
}

/// Whether a cell was found below; `ending_` says if something was left out.
bool Search::explore(std::size_t depth) {
  ++n_nodes_;
  if (depth > 0 && stopped(depth)) return false;
  const bool first = depth == 0 && !bars_more_;
  if (!reduce(*levels_[depth], first ? sweeps_at_root : sweeps_below)) return false;
  if (depth == 0 && stopped(depth)) return false;  // with a bound that is worth something
  while (depth == 0 && bars_more_ && bars_more_()) {
    if (!reduce(*levels_[depth], sweeps_below)) return false;
  }
  if (watch_.most_looks() == 1) {
    end(Ending::out_of_time);
    return false;
  }
  bool done = false;
  if (look(depth, done)) return true;
  if (done) return false;
  return halves(depth, best_cut(*levels_[depth]));
}

std::size_t Search::tightest(const Level& level) const {
  std::size_t best = 0;
  for (std::size_t g = 1; g < goals_.size(); ++g) {
    if (level.duals[g].slack() < level.duals[best].slack()) best = g;
  }
  return best;
}

bool Search::ruled_out(std::size_t f, std::size_t bin) const {
  return !levels_.empty() && levels_[0]->dead[levels_[0]->left.first[f] + bin] != 0;
}

/// Leaves out what was barred since. False if nothing is left of that feature.
bool Search::bar(Level& level) const {
  if (barred_.bins.empty()) return true;
  bool some = false;
  const std::size_t f = barred_.feature;
  for (std::size_t b = level.left.first[f]; b < level.left.first[f + 1]; ++b) {
    if (barred_.has(f, at(level.left.bins[b]))) level.dead[b] = 1;
    some = some || level.dead[b] == 0;
  }
  return some;
}

/// Leaves out what cannot reach some target. False if nothing is left.
bool Search::reduce(Level& level, int sweeps) {
  if (!bar(level)) return false;
  for (std::size_t g = 0; g < goals_.size(); ++g) level.duals[g].aim(goals_[g].target);
  for (int i = 0; i < sweeps; ++i) {
    bool better = false;
    for (Dual& dual : level.duals) {
      const double before = dual.slack();
      if (before < 0 || !dual.sweep(level.left, words_, level.dead)) return false;
      better = better || dual.slack() < (1 - worth_a_sweep) * before;
    }
    if (!better) break;
  }
  return true;
}

bool Search::reaches(std::span<const std::int32_t> cell) const {
  return std::ranges::all_of(
      goals_, [&](const Goal& goal) { return goal.objective.at_cell(cell) >= goal.target; });
}

/// Tries a likely cell. True if it is worth it; `done` if nothing else is left to look at.
bool Search::look(std::size_t depth, bool& done) {
  Level& level = *levels_[depth];
  while (true) {
    std::vector<std::int32_t> cell = likely(level);
    bool reached = reaches(cell);
    const bool climbs = !reached && (n_nodes_ & (n_nodes_ - 1)) == 0;  // now and then
    if (climbs) {                                                      // perhaps out of this box
      climb(goals_[tightest(level)].objective, cell, endless, barred_);
      reached = reaches(cell);
    }
    done = std::ranges::count(level.dead, 0) ==
           static_cast<std::ptrdiff_t>(local_.features().size());  // one bin of each
    if (!reached) return false;
    const Worth worth = judge_(cell);
    if (worth == Worth::found) return true;
    if (worth == Worth::other && climbs) return false;
    if (worth == Worth::other) {
      if (++n_judged_ > most_judged) end(Ending::too_many);
      done = true;
      return without(depth, cell);
    }
    if (!reduce(level, 1)) {  // the first target was raised, or a bin barred
      done = true;
      return false;
    }
  }
}

/// The cell of the bins with the largest bounds.
std::vector<std::int32_t> Search::likely(const Level& level) const {
  const std::span<const double> bounds = level.duals[tightest(level)].if_bin();
  std::vector<std::int32_t> cell(local_.features().size());
  for (std::size_t f = 0; f < cell.size(); ++f) {
    std::size_t best = level.left.first[f];
    for (std::size_t b = best; b < level.left.first[f + 1]; ++b) {
      const bool better = bounds[b] > bounds[best] || level.dead[best] != 0;
      if (level.dead[b] == 0 && better) best = b;
    }
    cell[f] = level.left.bins[best];
  }
  return cell;
}

Search::Level& Search::child(std::size_t depth) {
  if (levels_.size() == depth + 1) {
    levels_.push_back(std::make_unique<Level>(Level{Left(local_), {}, {}, {}}));
    levels_.back()->duals.resize(goals_.size());
  }
  return *levels_[depth + 1];
}

void Search::find_edges(Level& level) {
  level.edge.assign(level.left.bins.size(), 0);
  for (const Dual& dual : level.duals) dual.edges(level.left, level.edge);
}

/// What is left of a level without some bins, and without those that are no more told apart from
/// the one before. False if nothing is.
bool Search::take(const Level& from, std::span<const std::uint8_t> outside, Level& to) {
  const std::size_t n = from.left.bins.size();
  number_.assign(n, -1);
  before_.assign(n, 0);
  to.left.bins.clear();
  for (std::size_t f = 0; f < local_.features().size(); ++f) {
    const std::size_t first = to.left.bins.size();
    to.left.first[f] = first;
    to.left.nan[f] = 0;
    bool fresh = true;
    for (std::size_t b = from.left.first[f]; b < from.left.first[f + 1]; ++b) {
      before_[b] = static_cast<std::int32_t>(to.left.bins.size() - first);
      const bool nan = from.left.nan[f] != 0 && b + 1 == from.left.first[f + 1];
      fresh = fresh || nan || from.edge[b] != 0 || !local_.features()[f].ordered;
      fresh = fresh || (!barred_.bins.empty() && f == barred_.feature);  // each can be barred
      if (!fresh || outside[b] != 0 || from.dead[b] != 0) continue;
      number_[b] = before_[b];
      to.left.bins.push_back(from.left.bins[b]);
      if (nan) to.left.nan[f] = 1;
      fresh = false;
    }
    if (to.left.bins.size() == first) return false;
  }
  to.left.first.back() = to.left.bins.size();
  to.dead.assign(to.left.bins.size(), 0);
  for (std::size_t g = 0; g < goals_.size(); ++g) {
    if (!to.duals[g].take(from.duals[g], {from.left, to.left, number_, before_}, words_)) {
      return false;
    }
  }
  return true;
}

/// Goes on without the cells that have the same leaves as this one: what differs in the first
/// feature, what agrees there and differs in the second, and so on.
bool Search::without(std::size_t depth, std::span<const std::int32_t> cell) {
  find_edges(*levels_[depth]);
  const std::vector<std::uint8_t> around = local_.around(cell);
  const Left& left = levels_[depth]->left;
  std::vector<std::uint8_t> outside(left.bins.size(), 0);
  const auto inside = [&](std::size_t f, std::size_t b) {
    return around[local_.features()[f].first + at(left.bins[b])] != 0;
  };
  for (std::size_t f = 0; f < local_.features().size(); ++f) {
    for (const bool agrees : {false, true}) {
      for (std::size_t b = left.first[f]; b < left.first[f + 1]; ++b) {
        outside[b] = inside(f, b) != agrees ? 1 : 0;
      }
      if (agrees) break;
      if (take(*levels_[depth], outside, child(depth)) && explore(depth + 1)) return true;
    }
  }
  return false;
}

bool Search::halves(std::size_t depth, const Cut& cut) {
  find_edges(*levels_[depth]);
  const Left& left = levels_[depth]->left;
  std::vector<std::uint8_t> outside(left.bins.size(), 0);
  for (const bool second : {cut.second_first, !cut.second_first}) {
    for (std::size_t b = 0; b < left.width(cut.feature); ++b) {
      const bool in_first = cut.alone ? b == cut.bin : b <= cut.bin;
      outside[left.first[cut.feature] + b] = in_first == second ? 1 : 0;
    }
    if (take(*levels_[depth], outside, child(depth)) && explore(depth + 1)) return true;
    if (ending_ != Ending::none && !barred_.bins.empty()) break;  // nobody asks for the bound
  }
  return false;
}

/// Where cutting costs both halves most: the product, as shares of the slack; the sum, and the bins
/// of the smaller half, where that is nothing.
Search::Cut Search::best_cut(Level& level) {
  Dual& dual = level.duals[tightest(level)];
  const double slack = dual.slack() + 1;
  Cut best;
  for (std::size_t f = 0; f < local_.features().size(); ++f) {
    const std::size_t first = level.left.first[f];
    const std::size_t width = level.left.width(f);
    const auto n = width - static_cast<std::size_t>(std::count(
                               level.dead.begin() + static_cast<std::ptrdiff_t>(first),
                               level.dead.begin() + static_cast<std::ptrdiff_t>(first + width), 1));
    if (n < 2) continue;
    dual.halves(level.left, words_, f, below_, above_);
    const bool alone = !local_.features()[f].ordered;
    std::size_t seen = 0;
    for (std::size_t b = 0; b < width; ++b) {
      if (level.dead[first + b] != 0) continue;
      ++seen;
      if (!alone && seen == n) break;
      const double one = std::min(below_[b] / slack, 1.0);
      const double other = std::min(above_[b] / slack, 1.0);
      const auto bins = static_cast<double>(alone ? 1 : std::min(seen, n - seen));
      const double gain = one * other + 1e-3 * (one + other) + 1e-6 * bins;
      if (gain > best.gain) best = {f, b, alone, gain, one > other};
    }
  }
  return best;
}

}  // namespace orderless::ensembles
