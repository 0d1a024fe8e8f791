#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/base/errors.hpp"

namespace orderless::acquisition {

/// Which values to find out, in which order. Something that can be bought (a feature, or a group of
/// features) is a purchase; the rows are distinct and each has one outcome per purchase. An outcome
/// leaves some leaves of the tree reachable. A row is determined when all leaves that its bought
/// outcomes leave have one class. Classes may overlap, as intervals of numbers do: any one of them
/// will do. Those that hold a given set of leaves follow each other.
struct Acquisition {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

  std::size_t n_purchases = 0;
  std::size_t n_words = 0;                      // 64 leaves each
  std::span<const std::int32_t> outcome;        // rows x purchases
  std::span<const std::int64_t> weight;         // by row, at least 1
  std::span<const std::int64_t> cost;           // by purchase, at least 0
  std::span<const std::int64_t> outcome_start;  // by purchase, and the end: where its masks are
  std::span<const std::uint64_t> masks;         // by outcome: the leaves that it leaves
  std::span<const std::uint64_t> start;         // the leaves that are reachable at the start
  std::span<const std::uint64_t> classes;       // by class: its leaves
  std::int32_t free = -1;                       // a purchase that is made before any question
  std::int64_t budget = unlimited;
  std::int64_t questions = unlimited;
  bool may_stop = false;  // whether a row may stay undetermined, which is worse than any cost
  bool worst = false;     // the cost of the dearest row counts, and not the sum over all

  // The tree, over purchases: node 0 is the root, a leaf has purchase -1; per node and outcome of
  // its purchase the next node, from next_start[node] on.
  std::span<const std::int32_t> node_purchase;
  std::span<const std::int64_t> next_start;
  std::span<const std::int32_t> next;

  [[nodiscard]] std::size_t n_rows() const { return weight.size(); }
  [[nodiscard]] std::int32_t outcome_of(std::uint32_t row, std::size_t purchase) const {
    return outcome[row * n_purchases + purchase];
  }
  [[nodiscard]] const std::uint64_t* mask(std::size_t purchase, std::int32_t which) const {
    return masks.data() + static_cast<std::size_t>(outcome_start[purchase] + which) * n_words;
  }
  [[nodiscard]] const std::uint64_t* mask_of(std::uint32_t row, std::size_t purchase) const {
    return mask(purchase, outcome_of(row, purchase));
  }
  /// The first class that holds a set of leaves; -1 if none holds them all.
  [[nodiscard]] std::int32_t class_of(const std::uint64_t* leaves) const;
  /// Sorts rows by the outcome of a purchase, and leaves them as they are within one.
  void sort_by_outcome(std::span<std::uint32_t> rows, std::size_t purchase) const;
  /// The purchases, the cheapest first.
  [[nodiscard]] std::vector<std::size_t> by_cost() const;
};

/// What is left to spend.
struct Rest {
  std::int64_t budget = Acquisition::unlimited;
  std::int64_t questions = Acquisition::unlimited;
  [[nodiscard]] bool allows(std::int64_t cost) const { return cost <= budget && questions > 0; }
  [[nodiscard]] Rest after(std::int64_t cost) const {
    return {budget == Acquisition::unlimited ? budget : budget - cost,
            questions == Acquisition::unlimited ? questions : questions - 1};
  }
};

/// A policy over the training rows: node 0 is the root, parents come before their children.
struct PolicyTree {
  std::vector<std::int32_t> purchase;  // -1: the end
  std::vector<std::int32_t> label;     // the class where it is determined, else -1
  std::vector<std::int32_t> parent;    // -1: the root
  std::vector<std::int32_t> outcome;   // of the parent's purchase
  std::vector<std::int64_t> weight;    // of the rows here
  std::vector<std::int64_t> cost;      // what is spent from here on, over all rows
  std::vector<std::int64_t> worst;     // what is spent from here on, by the dearest row
  std::vector<std::int64_t> missed;    // weight of the rows that stay undetermined

  [[nodiscard]] std::size_t size() const { return purchase.size(); }
  std::int32_t add(std::int32_t from, std::int32_t how);
  /// Puts a whole policy below a node.
  void append(const PolicyTree& other, std::int32_t from, std::int32_t how);
  /// Sums up what is spent, from the ends to the root.
  void sum_up(std::span<const std::int64_t> costs);
};

/// What a policy knows at a node: the rows that got here, their reachable leaves, what was bought.
struct Situation {
  std::span<const std::uint32_t> rows;
  const std::uint64_t* leaves;
  const std::vector<std::uint8_t>& bought;
  Rest rest;
};

enum class Fixed : std::int32_t { naive = 0, path = 1, greedy = 2 };

/// The policies that need no search. naive: every purchase, in order; path: as the tree asks;
/// both go on where the row is determined already, unless `stop`. greedy: the cheapest first.
/// All end where the next purchase is not affordable. Cost: rows x purchases x words of a mask.
[[nodiscard]] PolicyTree fixed_policy(const Acquisition& problem, Fixed kind, bool stop,
                                      const PollFunction& poll);

/// The next purchase as the tree asks, for a row; -1 at a leaf.
[[nodiscard]] std::int32_t next_on_path(const Acquisition& problem, std::uint32_t row,
                                        const std::vector<std::uint8_t>& bought);

/// A clock that the search asks how many seconds have passed, and what lets Ctrl-C through.
struct Clock {
  PollFunction poll;
  std::function<double()> passed;
  double limit = 0;
};

struct Cheapest {
  PolicyTree tree;
  std::int64_t bound = 0;         // no policy spends less over all rows (worst: by its dearest row)
  std::int64_t bound_missed = 0;  // nor leaves fewer rows undetermined
  bool proven = false;
  std::size_t n_states = 0;
};

/// The cheapest policy over the rows, exactly: memoised search over (rows, reachable leaves, rest)
/// with branch and bound, any purchase allowed in any state.
///
/// Lower bound of a state: for each row, leaves of other classes must be excluded; what that costs
/// is the row's cheapest certificate (see Certificates; with more than 64 purchases a bound of it,
/// see RowCosts). Of several classes that the row can end in, the least counts. The search follows
/// the purchase with the lowest bound, and what it finds out of a state stays with the state. At
/// `limit` states, or out of time, the best policy found: questions are then fixed from the top
/// until what is left can be searched. Never worse than greedy and path. Cost: per state rows x
/// purchases certificates, most of which follow from the one before; the states can be
/// exponentially many.
[[nodiscard]] Cheapest cheapest_policy(const Acquisition& problem, std::size_t limit,
                                       const Clock& clock);

/// A lower bound for every policy, without search.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> least_cost(const Acquisition& problem);

struct LearningOptions {
  std::size_t episodes = 10000;
  double alpha = 0.1, gamma = 0.9, exploration = 0.5, reward = 0;
  std::uint64_t seed = 0;
};

struct Learned {
  PolicyTree tree;
  std::vector<std::int32_t> states;  // states x purchases: the outcome, -1 where not bought
  std::vector<double> values;        // states x purchases
};

/// The paper's Q-learner: a table from states to the value of each purchase, begun with the values
/// of walking the tree (its Algorithm 7), and its policy. States that are not in the table go on as
/// the tree asks.
[[nodiscard]] Learned learned_policy(const Acquisition& problem, const LearningOptions& options,
                                     const PollFunction& poll);

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
