#include "core/ensembles/answer.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/ensembles/objective.hpp"
#include "core/ensembles/reason.hpp"
#include "core/ensembles/search.hpp"

namespace orderless::ensembles {

namespace {

/// The sum of one score over leaves, in numbers of type T.
template <class T>
double added(const Sum& sum, std::span<const std::int32_t> leaves, std::size_t s) {
  T total = sum.base_last() ? T{0} : static_cast<T>(sum.base(s));
  for (std::size_t t = 0; t < leaves.size(); ++t) {
    if (sum.score(t) >= 0 && at(sum.score(t)) != s) continue;
    total += static_cast<T>(sum.values(leaves[t])[s]);
  }
  if (sum.base_last()) total += static_cast<T>(sum.base(s));
  return static_cast<double>(total);
}

std::int64_t whole_sum(const Sum& sum, std::span<const std::int32_t> leaves, std::size_t s) {
  std::int64_t total = sum.whole_base(s);
  for (const std::int32_t leaf : leaves) total += sum.whole(leaf)[s];
  return total;
}

/// A sum as the library divides it, in its own precision: sums that differ can be equal then.
double divided(const Sum& sum, double total) {
  if (sum.single()) return static_cast<float>(total) / static_cast<float>(sum.divisor());
  return total / sum.divisor();
}

/// How many cuts the score is above; -1 if the library may not tell it from one of them.
std::int32_t cuts_below(const Sum& sum, std::span<const std::int32_t> leaves, double score) {
  std::int32_t n = 0;
  for (const double cut : sum.cuts()) n += score > cut ? 1 : 0;
  if (sum.window() > 0) {
    const std::int64_t own = whole_sum(sum, leaves, 0);
    const std::int64_t near = sum.whole_window() + sum.slack(0);
    for (const std::int64_t cut : sum.whole_cuts()) {
      if (own - near <= cut && own + near > cut) return -1;
    }
  }
  return n;
}

}  // namespace

std::int32_t largest(const Sum& sum, std::span<const double> sums) {
  std::size_t best = 0;
  for (std::size_t s = 1; s < sums.size(); ++s) {
    if (divided(sum, sums[s]) > divided(sum, sums[best])) best = s;
  }
  if (sum.window() > 0) {
    for (std::size_t s = 0; s < (sum.either() ? sums.size() : best); ++s) {
      if (s != best && sums[best] - sums[s] <= sum.window()) return -1;
    }
  }
  return static_cast<std::int32_t>(best);
}

std::int32_t replay_leaves(const Sum& sum, std::span<const std::int32_t> leaves,
                           std::span<double> sums) {
  for (std::size_t s = 0; s < sums.size(); ++s) {
    sums[s] = sum.single() ? added<float>(sum, leaves, s) : added<double>(sum, leaves, s);
  }
  switch (sum.rule()) {
    case Rule::largest:
      return largest(sum, sums);
    case Rule::cuts:
      return cuts_below(sum, leaves, sums[0]);
    case Rule::number:
      break;
  }
  return -1;
}

std::int32_t replay(const Sum& sum, std::span<const std::int32_t> cell, std::span<double> sums) {
  std::vector<std::int32_t> leaves(sum.n_trees());
  for (std::size_t t = 0; t < leaves.size(); ++t) leaves[t] = sum.leaf(t, cell);
  return replay_leaves(sum, leaves, sums);
}

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
  // floor(sum of targets / 2^coarse), in two halves: the sum itself may not fit.
  std::int64_t high = 0, low = 0;
  for (const Rival& need : all) {
    high += need.target >> coarse;
    low += need.target & ((std::int64_t{1} << coarse) - 1);
  }
  return {Objective(local, weights, coarse), high + (low >> coarse)};
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

namespace {

using Clock = Watch::Clock;
using Work = std::function<bool(std::size_t i, Watch& watch)>;

constexpr double first_try = 0.1;  // seconds
constexpr double growth = 4;       // from one try to the next
constexpr double worth = 1.25;     // another try is worth it with so much more time than before

/// How long the next try of each may take, of `most` that each could get if it were the last one.
double next_try(double most, double before) {
  const double wanted = before > 0 ? growth * before : first_try;
  return (1 + growth) * wanted > most ? most : wanted;
}

/// Tries each once, for so many seconds; gives what is not done because its time has passed.
std::vector<std::size_t> tried(const std::vector<std::size_t>& all, std::size_t n_threads,
                               double seconds, Clock::time_point last, std::size_t room, Poll poll,
                               const Work& work) {
  std::vector<std::uint8_t> late(all.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> failed{false};
  std::exception_ptr fault;
  const auto loop = [&](Poll own) {
    try {
      Watch watch(room, own, stop);
      for (std::size_t i = next++; i < all.size() && !stop; i = next++) {
        watch.begin(seconds, last);
        static_cast<void>(watch.up());  // lets Ctrl-C through
        late[i] = !work(all[i], watch) && watch.late() ? 1 : 0;
      }
    } catch (const Interrupted&) {
      return;
    } catch (...) {
      if (!failed.exchange(true)) fault = std::current_exception();
      stop = true;
    }
  };
  std::vector<std::thread> others;
  others.reserve(n_threads);
  try {
    for (std::size_t i = 1; i < n_threads; ++i) others.emplace_back(loop, nullptr);
  } catch (const std::system_error&) {
    // The system gives no more threads: those there are do the work.
  }
  loop(poll);
  for (std::thread& other : others) other.join();
  if (fault) std::rethrow_exception(fault);
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (late[i] != 0) out.push_back(all[i]);
  }
  return out;
}

}  // namespace

void each(std::size_t n, std::size_t n_threads, Seconds limit, std::size_t room, Poll poll,
          const Work& work) {
  const bool endless = !(limit.all < Watch::endless);
  const Clock::time_point last =
      endless ? Clock::time_point::max() : Clock::now() + Watch::duration(limit.all);
  std::vector<std::size_t> todo(n);
  std::iota(todo.begin(), todo.end(), std::size_t{0});
  double seconds = 0;
  for (bool first = true; !todo.empty(); first = false) {
    const std::size_t useful = std::clamp<std::size_t>(n_threads, 1, todo.size());
    const std::size_t rounds = (todo.size() + useful - 1) / useful;
    const std::chrono::duration<double> left = last - Clock::now();
    const double before = seconds;
    const double most =
        std::min(limit.one, std::max(0.0, left.count()) / static_cast<double>(rounds));
    seconds = endless ? limit.one : next_try(most, before);
    if (!first && seconds <= worth * before) return;
    todo = tried(todo, useful, seconds, last, room, poll, work);
  }
}

void each(std::size_t n, std::size_t n_threads, Poll poll,
          const std::function<void(std::size_t i, Watch& watch)>& work) {
  each(n, n_threads, Seconds{}, 0, poll, [&](std::size_t i, Watch& watch) {
    work(i, watch);
    return true;
  });
}

}  // namespace orderless::ensembles
