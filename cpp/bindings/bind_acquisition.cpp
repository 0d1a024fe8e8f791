// _core.acquisition: which values to find out, in which order.

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/record.hpp"
#include "core/acquisition/api.hpp"

namespace orderless::acquisition {

using namespace bindings;
using namespace nb::literals;

namespace {

Record policy_record, cheapest_record, least_record, learned_record;

/// The arrays of a problem, in the order of orderless.acquisition's CoreArrays and CoreRules, kept
/// alive while C++ looks at them.
struct Given {
  Array<std::int32_t> outcome;
  Array<std::int64_t> weight, cost, outcome_start;
  Array<std::uint64_t> masks, start, classes;
  Array<std::int32_t> node_purchase;
  Array<std::int64_t> next_start;
  Array<std::int32_t> next;
  Acquisition problem;

  Given(const nb::tuple& arrays, const nb::tuple& rules) {
    problem.outcome = take(outcome, arrays[0]);
    problem.weight = take(weight, arrays[1]);
    problem.cost = take(cost, arrays[2]);
    problem.outcome_start = take(outcome_start, arrays[3]);
    problem.masks = take(masks, arrays[4]);
    problem.start = take(start, arrays[5]);
    problem.classes = take(classes, arrays[6]);
    problem.node_purchase = take(node_purchase, arrays[7]);
    problem.next_start = take(next_start, arrays[8]);
    problem.next = take(next, arrays[9]);
    problem.n_purchases = cost.size();
    problem.n_words = start.size();
    problem.free = nb::cast<std::int32_t>(rules[0]);
    problem.budget = limit(rules[1]);
    problem.questions = limit(rules[2]);
    problem.may_stop = nb::cast<bool>(rules[3]);
    problem.worst = nb::cast<bool>(rules[4]);
  }

 private:
  template <class T>
  static std::span<const T> take(Array<T>& array, nb::handle given) {
    array = nb::cast<Array<T>>(given);
    return view(array);
  }
  static std::int64_t limit(nb::handle given) {
    return given.is_none() ? Acquisition::unlimited : nb::cast<std::int64_t>(given);
  }
};

nb::object give_policy(PolicyTree tree) {
  return policy_record(give(std::move(tree.purchase)), give(std::move(tree.label)),
                       give(std::move(tree.parent)), give(std::move(tree.outcome)),
                       give(std::move(tree.weight)), give(std::move(tree.cost)),
                       give(std::move(tree.worst)), give(std::move(tree.missed)));
}

nb::object fixed_policy_of(const nb::tuple& arrays, const nb::tuple& rules, std::int32_t kind,
                           bool stop) {
  const Given given(arrays, rules);
  return give_policy(unlocked(
      [&] { return fixed_policy(given.problem, static_cast<Fixed>(kind), stop, poll_only); }));
}

nb::object cheapest_policy_of(const nb::tuple& arrays, const nb::tuple& rules, std::size_t limit,
                              double time_limit) {
  const Given given(arrays, rules);
  const Clock clock{poll_only, [watch = Stopwatch()] { return watch.seconds(); }, time_limit};
  Cheapest found = unlocked([&] { return cheapest_policy(given.problem, limit, clock); });
  return cheapest_record(give_policy(std::move(found.tree)), found.bound, found.bound_missed,
                         found.proven, found.n_states);
}

nb::object least_cost_of(const nb::tuple& arrays, const nb::tuple& rules) {
  const Given given(arrays, rules);
  const auto [cost, missed] = unlocked([&] { return least_cost(given.problem); });
  return least_record(cost, missed);
}

nb::object learned_policy_of(const nb::tuple& arrays, const nb::tuple& rules, std::size_t episodes,
                             double alpha, double gamma, double exploration, double reward,
                             std::uint64_t seed) {
  const Given given(arrays, rules);
  const LearningOptions options{episodes, alpha, gamma, exploration, reward, seed};
  Learned found = unlocked([&] { return learned_policy(given.problem, options, poll_only); });
  return learned_record(give_policy(std::move(found.tree)), give(std::move(found.states)),
                        give(std::move(found.values)));
}

}  // namespace

void bind(nb::module_& m) {
  policy_record.define(
      m, "Policy", {"purchase", "label", "parent", "outcome", "weight", "cost", "worst", "missed"});
  cheapest_record.define(m, "Cheapest", {"policy", "bound", "bound_missed", "proven", "n_states"});
  least_record.define(m, "LeastCost", {"bound", "bound_missed"});
  learned_record.define(m, "Learned", {"policy", "states", "values"});
  m.def("fixed_policy", &fixed_policy_of, "arrays"_a, "rules"_a, "kind"_a, "stop"_a,
        "A policy that needs no search.");
  m.def("cheapest_policy", &cheapest_policy_of, "arrays"_a, "rules"_a, "limit"_a, "time_limit"_a,
        "The best policy that was found, and bounds on the cost and the weight left undetermined.");
  m.def("least_cost", &least_cost_of, "arrays"_a, "rules"_a,
        "Bounds on the cost and on the weight left undetermined, without search.");
  m.def("learned_policy", &learned_policy_of, "arrays"_a, "rules"_a, "episodes"_a, "alpha"_a,
        "gamma"_a, "exploration"_a, "reward"_a, "seed"_a,
        "A policy, and states x purchases: the outcome, or -1, and the value.");
}

}  // namespace orderless::acquisition
