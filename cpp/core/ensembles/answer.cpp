#include "core/ensembles/answer.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/ensembles/evaluate.hpp"
#include "core/ensembles/facts.hpp"
#include "core/ensembles/rivals.hpp"
#include "core/ensembles/search.hpp"

namespace orderless::ensembles {

namespace {

/// Completions of one box and the classes that the library gives them.
class Seen {
 public:
  explicit Seen(const Local& local)
      : local_(local), sums_(local.sum().n_scores()), cells_(at(local.sum().n_classes())) {}

  /// The class of a cell: -1 if the library may not tell, -2 if facts exclude it.
  std::int32_t look(std::span<const std::int32_t> cell) {
    if (!local_.possible(cell)) return -2;
    Cell whole = local_.cell(cell);
    const std::int32_t label = replay(local_.sum(), whole, sums_);
    if (label < 0) {
      rounding_ = true;
    } else if (cells_[at(label)].empty()) {
      cells_[at(label)] = std::move(whole);
      labels_.push_back(label);
    }
    return label;
  }
  [[nodiscard]] bool open() const { return labels_.size() > 1; }
  [[nodiscard]] bool rounding() const { return rounding_; }
  [[nodiscard]] const std::vector<std::int32_t>& labels() const { return labels_; }
  [[nodiscard]] const Cell& cell(std::int32_t label) const { return cells_[at(label)]; }
  /// The class that the scores say, were they exact: of the last cell.
  [[nodiscard]] std::int32_t nearest() const {
    const Sum& sum = local_.sum();
    if (sum.rule() == Rule::largest) {
      return static_cast<std::int32_t>(std::ranges::max_element(sums_) - sums_.begin());
    }
    return static_cast<std::int32_t>(
        std::ranges::count_if(sum.cuts(), [&](double cut) { return sums_[0] > cut; }));
  }

 private:
  const Local& local_;
  std::vector<double> sums_;
  std::vector<Cell> cells_;  // by class
  std::vector<std::int32_t> labels_;
  bool rounding_ = false;
};

Status status_of(Ending ending) {
  switch (ending) {
    case Ending::out_of_time:
      return Status::out_of_time;
    case Ending::out_of_room:
      return Status::out_of_room;
    case Ending::too_many:
      return Status::rounding;
    case Ending::found:
    case Ending::none:
      break;
  }
  return Status::certain;
}

/// Climbs toward each rival; then searches those that are not ruled out. The worst that was met.
Status look_for_rivals(const Local& local, const std::vector<Rival>& wanted, Seen& seen,
                       Watch& watch) {
  std::vector<Goal> left;
  for (const Rival& rival : wanted) {
    Objective objective(local, rival.weights);
    if (objective.bound() < rival.target) continue;
    std::vector<std::int32_t> cell = some_possible(local);
    climb(objective, cell, rival.enough);
    seen.look(cell);
    if (seen.open()) return Status::open;
    left.push_back({std::move(objective), rival.target});
  }
  Status worst = Status::certain;
  for (Goal& goal : left) {
    std::vector<Goal> goals{std::move(goal)};
    Search search(local, goals, watch, [&](std::span<const std::int32_t> cell) {
      seen.look(cell);
      return seen.open() ? Worth::found : Worth::other;
    });
    const Ending ending = search.run();
    if (ending == Ending::found) return Status::open;
    if (ending != Ending::none) worst = status_of(ending);
  }
  return worst == Status::certain && seen.rounding() ? Status::rounding : worst;
}

/// What follows from all needs of a class together: by how much it is above all others, added up.
Goal together(const Local& local, std::int32_t label, const std::vector<Rival>& all) {
  const auto coarse = static_cast<int>(std::bit_width(all.size()));
  Weights weights(local.sum().n_scores(), -1);
  weights[at(label)] = static_cast<std::int64_t>(all.size());
  std::int64_t target = 0;
  for (const Rival& need : all) target += need.target;
  return {Objective(local, weights, coarse), target >> coarse};
}

/// Looks for a completion of a class, which `seen` then has. False if that there is none is not
/// proven.
bool look_for_class(const Local& local, std::int32_t label, Seen& seen, Watch& watch) {
  const std::vector<Rival> all = needs(local.sum(), label);
  std::vector<Goal> goals;
  goals.reserve(all.size() + 1);
  for (const Rival& need : all) goals.push_back({Objective(local, need.weights), need.target});
  if (all.size() > 1 && local.sum().rule() == Rule::largest) {
    goals.push_back(together(local, label, all));
  }
  for (std::size_t g = goals.size(); g-- > 0;) {
    if (!seen.cell(label).empty()) return true;
    if (goals[g].objective.bound() < goals[g].target) return true;
    std::vector<std::int32_t> cell = some_possible(local);
    climb(goals[g].objective, cell, std::numeric_limits<std::int64_t>::max());
    seen.look(cell);
  }
  if (!seen.cell(label).empty()) return true;
  bool close = false;
  Search search(local, goals, watch, [&](std::span<const std::int32_t> cell) {
    const std::int32_t own = seen.look(cell);
    close = close || own == -1;
    return own == label ? Worth::found : Worth::other;
  });
  const Ending ending = search.run();
  return ending == Ending::found || (ending == Ending::none && !close);
}

}  // namespace

namespace {

/// Whether facts exclude all cells of a box.
bool nothing_possible(const Local& local) {
  return local.impossible() || (local.n_facts() > 0 && some_possible(local).empty());
}

}  // namespace

Decision decide(const Sum& sum, std::span<const std::uint8_t> box, Watch& watch) {
  const Local local(sum, box);
  Seen seen(local);
  Decision out;
  if (nothing_possible(local)) return out;
  const std::int32_t first = seen.look(some_possible(local));
  out.status = look_for_rivals(local, rivals(sum, first < 0 ? seen.nearest() : first), seen, watch);
  if (out.status == Status::rounding) {  // never certain; perhaps open
    for (std::int32_t c = 0; c < sum.n_classes() && !seen.open(); ++c) {
      static_cast<void>(look_for_class(local, c, seen, watch));
    }
    if (seen.open()) out.status = Status::open;
  }
  if (out.status == Status::certain) out.label = seen.labels().front();
  if (out.status == Status::open) {
    out.first = seen.cell(seen.labels()[0]);
    out.second = seen.cell(seen.labels()[1]);
  }
  return out;
}

Possibility possible(const Sum& sum, std::span<const std::uint8_t> box, Watch& watch) {
  const Local local(sum, box);
  Seen seen(local);
  Possibility out;
  out.possible.assign(at(sum.n_classes()), 0);
  if (nothing_possible(local)) {
    out.cells.resize(out.possible.size());
    return out;
  }
  seen.look(some_possible(local));
  for (std::int32_t c = 0; c < sum.n_classes(); ++c) {
    if (!look_for_class(local, c, seen, watch)) out.possible[at(c)] = 2;
  }
  for (std::int32_t c = 0; c < sum.n_classes(); ++c) {
    out.cells.push_back(seen.cell(c));
    if (!seen.cell(c).empty()) out.possible[at(c)] = 1;
  }
  return out;
}

namespace {

/// The largest of an objective: what is proven, what was found, and where.
struct Top {
  std::int64_t proven, found;
  Cell cell;
};

Top top(const Local& local, const Weights& weights, Watch& watch) {
  std::vector<Goal> goals;
  goals.push_back({Objective(local, weights), 0});
  const Objective& objective = goals[0].objective;
  const std::int64_t endless = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int32_t> best = some_possible(local);
  Top out;
  out.found = climb(objective, best, endless);
  goals[0].target = out.found + 1;
  Search search(local, goals, watch, [&](std::span<const std::int32_t> cell) {
    best.assign(cell.begin(), cell.end());
    out.found = climb(goals[0].objective, best, endless);
    goals[0].target = out.found + 1;
    return Worth::better;
  });
  const Ending ending = search.run();
  out.proven = ending == Ending::none ? out.found : std::max(out.found, search.open_bound());
  out.cell = local.cell(best);
  return out;
}

}  // namespace

Extent extent(const Sum& sum, std::span<const std::uint8_t> box, const Weights& weights,
              Watch& watch) {
  const Local local(sum, box);
  if (nothing_possible(local)) throw std::invalid_argument("facts exclude all cells of a box");
  Weights turned;
  for (const std::int64_t weight : weights) turned.push_back(-weight);
  watch.begin_part(2);
  const Top high = top(local, weights, watch);
  watch.begin_part(1);
  const Top low = top(local, turned, watch);
  return {-low.proven, high.proven, -low.found, high.found, low.cell, high.cell};
}

}  // namespace orderless::ensembles
