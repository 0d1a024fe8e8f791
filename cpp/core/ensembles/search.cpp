#include "core/ensembles/search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace orderless::ensembles {

namespace {

constexpr std::size_t most_judged = 20'000;
constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

}  // namespace

Search::Search(const Local& local, std::vector<Goal>& goals, Watch& watch, Judge judge)
    : local_(local),
      goals_(goals),
      watch_(watch),
      judge_(std::move(judge)),
      regrets_(local),
      open_bound_(std::numeric_limits<std::int64_t>::min()) {}

Ending Search::run() {
  for (const Goal& goal : goals_) {
    if (goal.objective.bound() < goal.target) return Ending::none;
  }
  auto root = std::make_unique<Level>(Level{Alive(local_), {}});
  for (const Goal& goal : goals_) root->lists.emplace_back(goal.objective, words_);
  levels_.push_back(std::move(root));
  if (explore(0)) return Ending::found;
  return ending_;
}

void Search::end(Ending ending) {
  if (ending_ == Ending::none) ending_ = ending;
}

/// Whether a cell was found below; `ending_` says if something was left out.
bool Search::explore(std::size_t depth) {
  ++n_nodes_;
  Level& level = *levels_[depth];
  if (!reduce(level)) return false;
  if (ending_ == Ending::none && watch_.up()) end(Ending::out_of_time);
  if (ending_ == Ending::none) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i <= depth; ++i) {
      for (const Lists& lists : levels_[i]->lists) bytes += lists.bytes();
    }
    if (bytes > watch_.room()) end(Ending::out_of_room);
  }
  if (ending_ != Ending::none) {  // only the bounds of what is open are still wanted
    open_bound_ = std::max(open_bound_, level.lists[0].bound());
    return false;
  }
  bool excluded = false;
  if (look(level, excluded)) return true;
  if (excluded) return without(depth, met_);
  return halves(depth, best_cut(level, tightest(level)));
}

std::size_t Search::tightest(const Level& level) const {
  std::size_t best = 0;
  std::int64_t least = endless;
  for (std::size_t g = 0; g < goals_.size(); ++g) {
    const std::int64_t slack = level.lists[g].bound() - goals_[g].target;
    if (slack < least) {
      least = slack;
      best = g;
    }
  }
  return best;
}

/// Leaves out what cannot reach some target, until nothing changes. False if nothing is left.
bool Search::reduce(Level& level) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t g = 0; g < goals_.size(); ++g) {
      Lists& lists = level.lists[g];
      if (!lists.take(lists, level.alive, words_, endless)) return false;
      const std::int64_t slack = lists.bound() - goals_[g].target;
      if (slack < 0) return false;
      changed = drop_bins(level, g, slack) || changed;
      if (level.alive.empty()) return false;
      if (!lists.take(lists, level.alive, words_, slack)) return false;
    }
  }
  return true;
}

bool Search::drop_bins(Level& level, std::size_t goal, std::int64_t slack) {
  regrets_.find(level.lists[goal], level.alive, words_);
  bool changed = false;
  for (std::size_t f = 0; f < local_.features().size(); ++f) {
    for (std::int32_t b = 0; b < local_.features()[f].width; ++b) {
      if (!level.alive.has(f, b)) continue;
      if (!regrets_.dead(f, b) && regrets_.of(f, b) <= slack) continue;
      level.alive.drop(f, b);
      changed = true;
    }
  }
  if (changed) level.alive.count();
  return changed;
}

bool Search::reaches(std::span<const std::int32_t> cell) const {
  return std::ranges::all_of(
      goals_, [&](const Goal& goal) { return goal.objective.at_cell(cell) >= goal.target; });
}

/// Tries a likely cell. True if it is worth it; `excluded` if it reaches the targets and is not.
bool Search::look(Level& level, bool& excluded) {
  while (true) {
    const std::vector<std::int32_t> cell = likely(level, tightest(level));
    if (!reaches(cell)) return false;
    const Worth worth = judge_(cell);
    if (worth == Worth::found) return true;
    if (worth == Worth::other) {
      if (++n_judged_ > most_judged) end(Ending::too_many);
      met_ = cell;
      excluded = true;
      return false;
    }
    if (!reduce(level)) {  // the first target was raised
      excluded = true;
      met_.clear();
      return false;
    }
  }
}

/// The cell of the bins that cost least, among those on which many factors' best boxes agree.
std::vector<std::int32_t> Search::likely(const Level& level, std::size_t goal) const {
  Alive agreed = level.alive;
  const Lists& lists = level.lists[goal];
  for (const Factor& own : lists.factors()) {
    const Side* sides = lists.sides(own, 0);
    const auto features = lists.features(own);
    bool meets = true;
    for (std::size_t k = 0; k < features.size() && meets; ++k) {
      meets = agreed.meets(features[k], sides[k], words_) > 0;
    }
    if (meets) agreed.cut(features, sides, words_);
  }
  std::vector<std::int32_t> cell(local_.features().size());
  for (std::size_t f = 0; f < cell.size(); ++f) {
    std::int64_t least = endless;
    for (std::int32_t b = 0; b < local_.features()[f].width; ++b) {
      if (!agreed.has(f, b) || regrets_.of(f, b) >= least) continue;
      least = regrets_.of(f, b);
      cell[f] = b;
    }
  }
  return cell;
}

Search::Level& Search::child(std::size_t depth) {
  if (levels_.size() == depth + 1) {
    levels_.push_back(std::make_unique<Level>(Level{Alive(local_), {}}));
    levels_.back()->lists.resize(goals_.size());
  }
  levels_[depth + 1]->alive = levels_[depth]->alive;
  return *levels_[depth + 1];
}

/// Goes on without the cells that have the same leaves as this one: what differs in the first
/// feature, what agrees there and differs in the second, and so on.
bool Search::without(std::size_t depth, std::span<const std::int32_t> cell) {
  if (cell.empty()) return false;
  const std::vector<std::uint8_t> around = local_.around(cell);
  Alive rest = levels_[depth]->alive;
  for (std::size_t f = 0; f < local_.features().size(); ++f) {
    const LocalFeature& own = local_.features()[f];
    Level& next = child(depth);
    next.alive = rest;
    for (std::int32_t b = 0; b < own.width; ++b) {
      (around[own.first + at(b)] != 0 ? next.alive : rest).drop(f, b);
    }
    next.alive.count();
    rest.count();
    if (next.alive.empty()) continue;
    bool some = true;
    for (std::size_t g = 0; g < goals_.size() && some; ++g) {
      some = next.lists[g].take(levels_[depth]->lists[g], next.alive, words_, endless);
    }
    if (some && explore(depth + 1)) return true;
  }
  return false;
}

bool Search::halves(std::size_t depth, const Cut& cut) {
  for (const bool second : {cut.second_first, !cut.second_first}) {
    Level& next = child(depth);
    for (std::int32_t b = 0; b < local_.features()[cut.feature].width; ++b) {
      const bool in_first = cut.alone ? b == cut.bin : b <= cut.bin;
      if (in_first == second) next.alive.drop(cut.feature, b);
    }
    next.alive.count();
    bool some = true;
    for (std::size_t g = 0; g < goals_.size() && some; ++g) {
      some = next.lists[g].take(levels_[depth]->lists[g], next.alive, words_, endless);
    }
    if (some && explore(depth + 1)) return true;
  }
  return false;
}

}  // namespace orderless::ensembles
