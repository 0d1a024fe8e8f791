#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <numeric>
#include <span>
#include <vector>

#include "core/acquisition/bound.hpp"
#include "core/acquisition/problem.hpp"
#include "core/base/hash.hpp"

namespace orderless::acquisition {

/// What is known of a state of the search: its value lies between `lower` and `upper`, and
/// `purchase` is what reaches `upper`. The state itself is not kept, only a key of 128 bits.
struct State {
  std::uint64_t key[2];
  std::int64_t lower, upper;
  std::int32_t purchase;
  std::uint32_t candidates;  // where they are, once it was looked at; else 0
  [[nodiscard]] bool closed() const { return lower >= upper; }
};

/// A purchase in a state, what it costs at least, and the states that it leads to.
struct Candidate {
  std::int64_t bound;
  std::int32_t purchase;  // -1: stop
  std::uint32_t children;
  std::uint32_t n_children;
};

/// States by key: an open table of numbers, which stay when it grows. Next to it, for states that
/// were looked at, what can be bought in them.
class States {
 public:
  States() { clear(); }

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  State& operator[](std::int32_t i) { return states_[static_cast<std::size_t>(i)]; }

  /// The number of the state with this key, and whether it is new.
  std::pair<std::int32_t, bool> find(std::uint64_t key0, std::uint64_t key1) {
    if (2 * states_.size() >= slots_.size()) grow();
    std::size_t slot = key0 & (slots_.size() - 1);
    while (slots_[slot] != 0) {
      const State& state = states_[slots_[slot] - 1];
      if (state.key[0] == key0 && state.key[1] == key1) {
        return {static_cast<std::int32_t>(slots_[slot] - 1), false};
      }
      slot = (slot + 1) & (slots_.size() - 1);
    }
    states_.push_back({{key0, key1}, 0, 0, -1, 0});
    slots_[slot] = static_cast<std::uint32_t>(states_.size());
    return {static_cast<std::int32_t>(states_.size()) - 1, true};
  }

  /// What can be bought in a state that was looked at, in the order in which it was written down.
  [[nodiscard]] std::span<Candidate> candidates(std::int32_t i) {
    const std::uint32_t begin = (*this)[i].candidates;
    return {candidates_.data() + begin, candidates_[begin - 1].n_children};
  }
  /// The states that a purchase leads to and that are not determined.
  [[nodiscard]] std::span<const std::int32_t> children(const Candidate& one) const {
    return {children_.data() + one.children, one.n_children};
  }
  /// Writes down what can be bought in a state.
  void begin_candidates(std::int32_t i) {
    candidates_.push_back({0, -1, 0, 0});  // before the first: how many
    (*this)[i].candidates = static_cast<std::uint32_t>(candidates_.size());
  }
  void add_candidate(std::int32_t i, std::int64_t bound, std::int32_t purchase) {
    candidates_.push_back({bound, purchase, static_cast<std::uint32_t>(children_.size()), 0});
    ++candidates_[(*this)[i].candidates - 1].n_children;
  }
  void add_child(std::int32_t child) {
    children_.push_back(child);
    ++candidates_.back().n_children;
  }

  void clear() {
    states_.clear();
    candidates_.clear();
    children_.clear();
    slots_.assign(1U << 12, 0);
  }

 private:
  void grow() {
    std::vector<std::uint32_t> wide(slots_.size() * 2, 0);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      std::size_t slot = states_[i].key[0] & (wide.size() - 1);
      while (wide[slot] != 0) slot = (slot + 1) & (wide.size() - 1);
      wide[slot] = static_cast<std::uint32_t>(i + 1);
    }
    slots_ = std::move(wide);
  }

  std::vector<State> states_;
  std::vector<Candidate> candidates_;
  std::vector<std::int32_t> children_;
  std::vector<std::uint32_t> slots_;  // number of a state + 1
};

/// Where the search is: the rows and leaves that are left, what was bought, what is left to spend.
struct Place {
  std::span<const std::uint32_t> rows;
  const std::uint64_t* leaves;
  Purchases bought;  // 0 where there are no certificates
  Rest rest;
};

/// The rows of one outcome.
struct Part {
  std::size_t begin, end;
};

/// The parts of a state, by the outcomes of a purchase; the search has one for each purchase on the
/// way. Parts that are determined are left out.
struct Level {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> from;    // by row here: its position before
  std::vector<std::uint64_t> leaves;  // by part
  std::vector<Part> parts;
};

/// Which states purchases lead to, and what they cost at least.
class Splits {
 public:
  Splits(const Acquisition& problem, const PollFunction& poll);

  States states;

  /// What a row that stays undetermined counts: more than any cost.
  [[nodiscard]] std::int64_t missed() const { return missed_; }
  /// What a policy costs, with what it leaves undetermined.
  [[nodiscard]] std::int64_t value_of(const PolicyTree& tree) const;
  /// Number of the state; a new one gets its lower bound, a single row its exact value.
  [[nodiscard]] std::int32_t state_of(const Place& place);
  /// Divides the rows by the outcomes of a purchase, into the level; false if that tells nothing.
  bool split(Level& level, const Place& place, std::size_t purchase);
  /// Where the search is in a part of the level, after a purchase.
  [[nodiscard]] Place place_of(const Level& level, std::size_t part, const Place& before,
                               std::size_t purchase) const;
  /// Writes down, once for each state, all purchases that tell something and the states that they
  /// lead to.
  void look(Level& level, const Place& place, std::int32_t id);
  /// What a purchase costs with the states that it leads to at their lower bounds.
  [[nodiscard]] std::int64_t total(const Candidate& candidate, std::int64_t weight);
  [[nodiscard]] std::int64_t weight_of(std::span<const std::uint32_t> rows) const;
  [[nodiscard]] Purchases bit(std::size_t purchase) const { return certificates_.bit(purchase); }

 private:
  /// The bounds of single rows, added up.
  struct Sum {
    std::int64_t cost = 0, most = 0, missed = 0;
  };
  void add(Sum& sum, std::uint32_t row, RowCosts::Spent least) const;
  [[nodiscard]] std::int64_t value_of(const Sum& sum) const;
  /// What a certificate says of a row when only so much is left to spend.
  [[nodiscard]] RowCosts::Spent spent(std::uint32_t row, const Certificate& certificate,
                                      const Place& place) const;
  /// `place` is a part after a purchase; `from`: where its rows are in `certain_`.
  [[nodiscard]] std::int32_t state_after(const Place& place, std::size_t purchase,
                                         std::span<const std::uint32_t> from);
  template <class CertificateOf>
  [[nodiscard]] std::int32_t state_with(const Place& place, CertificateOf&& certificate_of);

  const Acquisition& problem_;
  RowCosts costs_;
  Certificates certificates_;
  std::int64_t missed_;
  std::vector<std::size_t> count_, seen_;
  std::vector<std::int32_t> order_;
  std::vector<std::uint64_t> keys_;   // two by row
  std::vector<Certificate> certain_;  // of the rows of the state that is looked at
};

Splits::Splits(const Acquisition& problem, const PollFunction& poll)
    : problem_(problem), costs_(problem), certificates_(problem, costs_, poll) {
  std::int64_t all = 1, rows = 0;
  for (const std::int64_t cost : problem.cost) all += cost;
  for (const std::int64_t weight : problem.weight) rows += weight;
  // Whoever calls has seen to it that this, times the rows, is far from overflow.
  missed_ = problem.may_stop ? all * rows + 1 : Acquisition::unlimited;
  std::int64_t most = 0;
  for (std::size_t p = 0; p < problem.n_purchases; ++p) {
    most = std::max(most, problem.outcome_start[p + 1] - problem.outcome_start[p]);
  }
  count_.assign(static_cast<std::size_t>(most), 0);
  seen_.assign(count_.size(), 0);
  for (std::size_t i = 0; i < 2 * problem.n_rows(); ++i) keys_.push_back(scatter(i));
}

void Splits::add(Sum& sum, std::uint32_t row, RowCosts::Spent least) const {
  const std::int64_t weight = problem_.weight[row];
  if (least.missed) {
    sum.missed += weight;
  } else {
    sum.cost += weight * least.cost;
    sum.most = std::max(sum.most, least.cost);
  }
}

std::int64_t Splits::value_of(const Sum& sum) const {
  return (sum.missed == 0 ? 0 : sum.missed * missed_) + (problem_.worst ? sum.most : sum.cost);
}

std::int64_t Splits::value_of(const PolicyTree& tree) const {
  const std::int64_t missed = tree.missed[0];
  return (missed == 0 ? 0 : missed * missed_) + (problem_.worst ? tree.worst[0] : tree.cost[0]);
}

RowCosts::Spent Splits::spent(std::uint32_t row, const Certificate& certificate,
                              const Place& place) const {
  const std::int64_t cost = certificate.cost;
  if (cost == Acquisition::unlimited || cost > place.rest.budget) return {0, true};
  const bool asks_more = std::popcount(certificate.purchases) > place.rest.questions &&
                         certificates_.asks_more_than(place.rest.questions, row, place.bought);
  return {cost, asks_more};
}

template <class CertificateOf>
std::int32_t Splits::state_with(const Place& place, CertificateOf&& certificate_of) {
  std::uint64_t key0 = 0, key1 = 0;
  for (const std::uint32_t row : place.rows) {
    key0 += keys_[2 * row];
    key1 += keys_[2 * row + 1];
  }
  for (std::size_t w = 0; w < problem_.n_words; ++w) {
    key0 = scatter(key0 ^ place.leaves[w]);
    key1 = scatter(key1 + place.leaves[w]);
  }
  if (problem_.may_stop) {
    key0 = scatter(key0 ^ static_cast<std::uint64_t>(place.rest.budget));
    key1 = scatter(key1 + static_cast<std::uint64_t>(place.rest.budget));
    key0 = scatter(key0 ^ static_cast<std::uint64_t>(place.rest.questions));
    key1 = scatter(key1 + static_cast<std::uint64_t>(place.rest.questions));
  }
  const auto [id, fresh] = states.find(key0, key1);
  if (!fresh) return id;
  State& state = states[id];
  state.upper = Acquisition::unlimited;
  Sum sum;
  if (place.rows.size() > 1) {
    for (std::size_t i = 0; i < place.rows.size(); ++i) {
      const std::uint32_t row = place.rows[i];
      add(sum, row,
          certificates_.exist() ? spent(row, certificate_of(i), place)
                                : costs_.at_least(row, place.leaves, place.rest));
    }
    state.lower = value_of(sum);
    return id;
  }
  const std::uint32_t row = place.rows[0];
  const Certificate own = certificates_.exist() ? certificate_of(0) : Certificate{};
  if (own.purchases != 0 && std::popcount(own.purchases) <= place.rest.questions) {
    const RowCosts::Spent exact = spent(row, own, place);
    const Purchases useful = own.purchases & certificates_.useful(row, place.bought);
    if (!exact.missed) {
      state.purchase = static_cast<std::int32_t>(certificates_.cheapest_of(useful));
    }
    add(sum, row, exact);
  } else {
    add(sum, row, costs_.exactly(row, place.leaves, place.rest, state.purchase));
  }
  state.lower = state.upper = value_of(sum);
  return id;
}

std::int32_t Splits::state_of(const Place& place) {
  return state_with(
      place, [&](std::size_t i) { return certificates_.cheapest(place.rows[i], place.bought); });
}

std::int32_t Splits::state_after(const Place& place, std::size_t purchase,
                                 std::span<const std::uint32_t> from) {
  return state_with(place, [&](std::size_t i) {
    return certificates_.after(place.rows[i], certain_[from[i]], place.bought, purchase);
  });
}

bool Splits::split(Level& level, const Place& place, std::size_t purchase) {
  const std::size_t words = problem_.n_words;
  const std::span<const std::uint32_t> rows = place.rows;
  order_.clear();
  for (const std::uint32_t row : rows) {
    const auto which = static_cast<std::size_t>(problem_.outcome_of(row, purchase));
    if (count_[which]++ == 0) order_.push_back(static_cast<std::int32_t>(which));
  }
  bool tells = order_.size() > 1;
  if (!tells) {
    const std::uint64_t* mask = problem_.mask(purchase, order_[0]);
    for (std::size_t w = 0; w < words; ++w) tells = tells || (place.leaves[w] & ~mask[w]) != 0;
    if (!tells) {
      count_[static_cast<std::size_t>(order_[0])] = 0;
      return false;
    }
  }
  std::sort(order_.begin(), order_.end());
  level.rows.resize(rows.size());
  level.from.resize(rows.size());
  level.parts.clear();
  level.leaves.resize(order_.size() * words);
  std::size_t begin = 0;
  for (const std::int32_t outcome : order_) {
    const auto which = static_cast<std::size_t>(outcome);
    std::uint64_t* left = level.leaves.data() + level.parts.size() * words;
    const std::uint64_t* mask = problem_.mask(purchase, outcome);
    for (std::size_t w = 0; w < words; ++w) left[w] = place.leaves[w] & mask[w];
    seen_[which] = begin;
    if (problem_.class_of(left) < 0) level.parts.push_back({begin, begin + count_[which]});
    begin += count_[which];
    count_[which] = 0;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t to =
        seen_[static_cast<std::size_t>(problem_.outcome_of(rows[i], purchase))]++;
    level.rows[to] = rows[i];
    level.from[to] = static_cast<std::uint32_t>(i);
  }
  return true;
}

Place Splits::place_of(const Level& level, std::size_t part, const Place& before,
                       std::size_t purchase) const {
  const auto [begin, end] = level.parts[part];
  return {{level.rows.data() + begin, end - begin},
          level.leaves.data() + part * problem_.n_words,
          before.bought | certificates_.bit(purchase),
          before.rest.after(problem_.cost[purchase])};
}

std::int64_t Splits::total(const Candidate& candidate, std::int64_t weight) {
  if (candidate.purchase < 0) return candidate.bound;
  const std::int64_t price = problem_.cost[static_cast<std::size_t>(candidate.purchase)];
  std::int64_t sum = problem_.worst ? price : price * weight, most = 0, missed = 0;
  for (const std::int32_t child : states.children(candidate)) {
    const std::int64_t lower = states[child].lower;
    if (problem_.worst) {
      missed += lower / missed_;
      most = std::max(most, lower % missed_);
    } else {
      sum += lower;
    }
  }
  return sum + most + (missed == 0 ? 0 : missed * missed_);
}

std::int64_t Splits::weight_of(std::span<const std::uint32_t> rows) const {
  std::int64_t weight = 0;
  for (const std::uint32_t row : rows) weight += problem_.weight[row];
  return weight;
}

void Splits::look(Level& level, const Place& place, std::int32_t id) {
  if (states[id].candidates != 0) return;
  certain_.clear();
  if (certificates_.exist()) {
    for (const std::uint32_t row : place.rows) {
      certain_.push_back(certificates_.cheapest(row, place.bought));
    }
  }
  const bool unlimited =
      place.rest.budget == Acquisition::unlimited && place.rest.questions == Acquisition::unlimited;
  states.begin_candidates(id);
  if (problem_.may_stop) states.add_candidate(id, weight_of(place.rows) * missed_, -1);
  for (std::size_t p = 0; p < problem_.n_purchases; ++p) {
    const bool free = static_cast<std::int32_t>(p) == problem_.free;
    if (free || !place.rest.allows(problem_.cost[p]) || !split(level, place, p)) continue;
    const bool enough = problem_.cost[p] == 0 && unlimited;  // knowing more is never worse
    if (enough) states.begin_candidates(id);
    states.add_candidate(id, 0, static_cast<std::int32_t>(p));
    for (std::size_t i = 0; i < level.parts.size(); ++i) {
      const auto [begin, end] = level.parts[i];
      states.add_child(
          state_after(place_of(level, i, place, p), p, {level.from.data() + begin, end - begin}));
    }
    if (enough) return;
  }
}

namespace {

constexpr std::int64_t infinite = Acquisition::unlimited;

class Search {
 public:
  Search(const Acquisition& problem, std::size_t limit, const Clock& clock)
      : problem_(problem),
        limit_(limit),
        clock_(clock),
        splits_(problem, clock.poll),
        states_(splits_.states),
        by_cost_(problem.by_cost()) {}

  struct Found {
    PolicyTree tree;
    std::int64_t value, bound;
  };

  /// The best policy for some rows, from these leaves on. What time the writing down leaves, the
  /// search gets, which goes on from what was found on the way.
  Found found(const std::vector<std::uint32_t>& rows, const std::uint64_t* leaves,
              std::vector<std::uint8_t>& bought, Rest rest, double until) {
    if (states_.size() > limit_) states_.clear();
    Found best{{}, infinite, 0};
    const auto consider = [&](Mode mode) {
      PolicyTree tree = build(rows, leaves, bought, rest, until, mode);
      const std::int64_t value = splits_.value_of(tree);
      if (best.tree.size() > 0 && value >= best.value) return;
      best.value = value;
      best.tree = std::move(tree);
    };
    const Place place{rows, leaves, purchases_of(bought), rest};
    bool closed = problem_.class_of(leaves) >= 0;
    const auto search = [&](double deadline) {
      const std::int32_t id = splits_.state_of(place);
      solve_until(deadline, place, id);
      best.bound = std::max(best.bound, states_[id].lower);
      closed = states_[id].closed();
    };
    if (!closed) search(clock_.passed() + 0.6 * (until - clock_.passed()));
    if (!closed) {
      for (const Mode mode : {Mode::path, Mode::greedy, Mode::search}) consider(mode);
      if (best.bound < best.value) search(until);
    }
    if (closed) consider(Mode::closed);
    return best;
  }

  [[nodiscard]] std::int64_t missed() const { return splits_.missed(); }
  [[nodiscard]] std::size_t n_states() const { return std::max(n_states_, states_.size()); }

 private:
  enum class Mode { path, greedy, search, closed };

  [[nodiscard]] Purchases purchases_of(const std::vector<std::uint8_t>& bought) const {
    Purchases out = 0;
    for (std::size_t p = 0; p < bought.size(); ++p) out |= bought[p] != 0 ? splits_.bit(p) : 0;
    return out;
  }

  Level& level(std::size_t depth) {
    while (levels_.size() <= depth) levels_.emplace_back();
    return levels_[depth];
  }

  bool out_of_time(std::size_t rows) {
    n_seen_ += rows;
    if (n_seen_ >= 4096) {
      n_seen_ = 0;
      clock_.poll(states_.size());
      if (clock_.passed() > deadline_) stopped_ = true;
    }
    if (states_.size() > limit_) stopped_ = true;
    return stopped_;
  }

  void solve_until(double deadline, const Place& place, std::int32_t id) {
    deadline_ = deadline;
    stopped_ = false;
    solve(0, place, id, infinite);
    n_states_ = std::max(n_states_, states_.size());
  }

  /// The purchase with the lowest bound, which is brought up to date, and the bound of the next.
  /// Bounds only rise, so those of the others may be old.
  std::pair<Candidate, std::int64_t> lowest(std::int32_t id, std::int64_t weight) {
    const std::span<Candidate> all = states_.candidates(id);
    Candidate none{infinite, -1, 0, 0};
    while (true) {
      Candidate* first = &none;
      std::int64_t second = infinite;
      for (Candidate& one : all) {
        if (one.bound < first->bound) {
          second = first->bound;
          first = &one;
        } else {
          second = std::min(second, one.bound);
        }
      }
      if (first == &none) return {none, infinite};
      first->bound = splits_.total(*first, weight);
      if (first->bound <= second) return {*first, second};
    }
  }

  /// Closes a state, or raises its lower bound to the allowance, unless it is stopped: follows the
  /// purchase with the lowest bound, until another one has it.
  void solve(std::size_t depth, const Place& place, std::int32_t id, std::int64_t allowance) {
    if (out_of_time(place.rows.size())) return;
    splits_.look(level(depth), place, id);
    const std::int64_t weight = splits_.weight_of(place.rows);
    while (true) {
      const auto [candidate, second] = lowest(id, weight);
      State& state = states_[id];
      state.lower = std::max(state.lower, candidate.bound);
      bool closed = true;
      for (const std::int32_t child : states_.children(candidate)) {
        closed = closed && states_[child].closed();
      }
      if (closed) {
        state.upper = state.lower;
        state.purchase = candidate.purchase;
        return;
      }
      if (candidate.bound >= allowance || stopped_) return;
      const std::int64_t beyond = second + 1 + candidate.bound / 512;
      follow(depth, place, candidate, weight, std::min(allowance, beyond));
    }
  }

  /// Closes all states that a purchase leads to, or raises its bound.
  void follow(std::size_t depth, const Place& place, const Candidate& candidate,
              std::int64_t weight, std::int64_t enough) {
    Level& here = level(depth);
    const auto p = static_cast<std::size_t>(candidate.purchase);
    splits_.split(here, place, p);
    while (!stopped_) {
      const std::int64_t sum = splits_.total(candidate, weight);
      if (sum >= enough) return;
      const std::span<const std::int32_t> children = states_.children(candidate);
      std::size_t next = 0;
      while (next < children.size() && states_[children[next]].closed()) ++next;
      if (next == children.size()) return;
      const std::int32_t child = children[next];
      const std::int64_t most =
          problem_.worst ? enough - problem_.cost[p] : enough - (sum - states_[child].lower);
      solve(depth + 1, splits_.place_of(here, next, place, p), child, most);
    }
  }

  /// The purchase that looks best in a state which was not closed: what open states cost is taken
  /// to be a sixteenth more than is proven, so that purchases which leave less open go first.
  std::int32_t guess(std::int32_t id, std::int64_t weight) {
    std::int64_t least = infinite;
    std::int32_t chosen = -1;
    for (const Candidate& one : states_.candidates(id)) {
      std::int64_t sum = splits_.total(one, weight), most = 0;
      for (const std::int32_t child : states_.children(one)) {
        if (states_[child].closed()) continue;
        const std::int64_t more = states_[child].lower % splits_.missed() / 16;
        sum += problem_.worst ? 0 : more;
        most = std::max(most, more);
      }
      sum += problem_.worst ? most : 0;
      if (sum < least) least = sum, chosen = one.purchase;
    }
    return chosen;
  }

  /// The purchase with which the policy goes on: what the search found. Where it has not finished,
  /// a search of what is left with a share of the time, and then a guess.
  std::int32_t next(const Situation& here, double until, Mode mode, double& left) {
    if (mode == Mode::search) {
      if (clock_.passed() > until) return next_on_path(problem_, here.rows.front(), here.bought);
      if (states_.size() > limit_) states_.clear();
    }
    const Place place{here.rows, here.leaves, purchases_of(here.bought), here.rest};
    const std::int32_t id = splits_.state_of(place);
    if (states_[id].closed()) return states_[id].purchase;
    const auto weight = static_cast<double>(splits_.weight_of(here.rows));
    const double now = clock_.passed();
    solve_until(now + 0.5 * std::min(1.0, weight / left) * (until - now), place, id);
    if (states_[id].closed()) {
      left -= weight;
      return states_[id].purchase;
    }
    splits_.look(level(0), place, id);
    return guess(id, splits_.weight_of(here.rows));
  }

  /// Writes a policy down.
  PolicyTree build(std::vector<std::uint32_t> rows, const std::uint64_t* leaves,
                   std::vector<std::uint8_t>& bought, Rest rest, double until, Mode mode) {
    PolicyTree out;
    auto left = static_cast<double>(splits_.weight_of(rows));
    const auto choose = [&](const Situation& here) -> std::int32_t {
      if ((++n_steps_ & 127U) == 0) clock_.poll(states_.size());
      if (mode == Mode::path) return next_on_path(problem_, here.rows.front(), here.bought);
      if (mode == Mode::search || mode == Mode::closed) return next(here, until, mode, left);
      for (const std::size_t p : by_cost_) {
        if (here.bought[p] == 0) return static_cast<std::int32_t>(p);
      }
      return -1;
    };
    const std::size_t n = rows.size();
    unfold(problem_, out, -1, -1, rows, 0, n, leaves, bought, rest, true, choose);
    out.sum_up(problem_.cost);
    return out;
  }

  const Acquisition& problem_;
  std::size_t limit_;
  const Clock& clock_;
  Splits splits_;
  States& states_;
  std::vector<std::size_t> by_cost_;
  std::deque<Level> levels_;
  std::size_t n_states_ = 0, n_steps_ = 0, n_seen_ = 0;
  double deadline_ = 0;
  bool stopped_ = false;
};

std::vector<std::uint32_t> all_rows(const Acquisition& problem) {
  std::vector<std::uint32_t> rows(problem.n_rows());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

}  // namespace

Cheapest cheapest_policy(const Acquisition& problem, std::size_t limit, const Clock& clock) {
  Search search(problem, limit, clock);
  Cheapest out;
  std::vector<std::uint32_t> rows = all_rows(problem);
  std::vector<std::uint8_t> bought(problem.n_purchases, 0);
  const Rest rest{problem.budget, problem.questions};
  std::int64_t bound = 0, bound_missed = 0, value = 0;
  const auto add = [&](const Search::Found& part, std::int32_t from, std::int32_t how) {
    out.tree.append(part.tree, from, how);
    bound_missed += part.bound / search.missed();
    const std::int64_t cost = part.bound % search.missed();
    bound = problem.worst ? std::max(bound, cost) : bound + cost;
    value += part.value - part.bound;
  };
  if (problem.free < 0 || problem.class_of(problem.start.data()) >= 0) {
    add(search.found(rows, problem.start.data(), bought, rest, clock.limit), -1, -1);
  } else {
    const auto p = static_cast<std::size_t>(problem.free);
    problem.sort_by_outcome(rows, p);
    out.tree.add(-1, -1);
    out.tree.purchase[0] = problem.free;
    bought[p] = 1;
    std::vector<std::uint64_t> leaves(problem.n_words);
    std::int64_t left =
        std::accumulate(problem.weight.begin(), problem.weight.end(), std::int64_t{0});
    out.tree.weight[0] = left;
    for (std::size_t i = 0; i < rows.size();) {
      const std::int32_t which = problem.outcome_of(rows[i], p);
      std::vector<std::uint32_t> own;
      std::int64_t weight = 0;
      for (; i < rows.size() && problem.outcome_of(rows[i], p) == which; ++i) {
        own.push_back(rows[i]);
        weight += problem.weight[rows[i]];
      }
      const std::uint64_t* mask = problem.mask(p, which);
      for (std::size_t w = 0; w < leaves.size(); ++w) leaves[w] = problem.start[w] & mask[w];
      const double now = clock.passed();
      const double share = static_cast<double>(weight) / static_cast<double>(left);
      add(search.found(own, leaves.data(), bought, rest, now + share * (clock.limit - now)), 0,
          which);
      left -= weight;
    }
  }
  out.tree.sum_up(problem.cost);
  out.bound = bound;
  out.bound_missed = bound_missed;
  out.proven = value == 0;
  out.n_states = search.n_states();
  return out;
}

std::pair<std::int64_t, std::int64_t> least_cost(const Acquisition& problem) {
  RowCosts costs(problem);
  std::int64_t bound = 0, missed = 0;
  std::vector<std::uint64_t> leaves(problem.n_words);
  for (std::uint32_t row = 0; row < problem.n_rows(); ++row) {
    std::copy(problem.start.begin(), problem.start.end(), leaves.begin());
    if (problem.free >= 0) {
      const std::uint64_t* mask = problem.mask_of(row, static_cast<std::size_t>(problem.free));
      for (std::size_t w = 0; w < leaves.size(); ++w) leaves[w] &= mask[w];
    }
    if (problem.class_of(leaves.data()) >= 0) continue;
    const RowCosts::Spent least =
        costs.at_least(row, leaves.data(), {problem.budget, problem.questions});
    if (least.missed) {
      missed += problem.weight[row];
    } else {
      bound =
          problem.worst ? std::max(bound, least.cost) : bound + problem.weight[row] * least.cost;
    }
  }
  return {bound, missed};
}

}  // namespace orderless::acquisition
