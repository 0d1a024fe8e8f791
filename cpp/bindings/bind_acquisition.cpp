#include <chrono>

#include "bindings/arrays.hpp"
#include "core/acquisition/problem.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;
using namespace orderless::acquisition;

namespace {

using Clockwork = std::chrono::steady_clock;

/// The arrays of a problem, kept alive while C++ looks at them.
struct Given {
  Array<std::int32_t> outcome;
  Array<std::int64_t> weight, cost, outcome_start;
  Array<std::uint64_t> masks, start, classes;
  Array<std::int32_t> node_purchase;
  Array<std::int64_t> next_start;
  Array<std::int32_t> next;
  Acquisition problem;

  Given(const nb::tuple& arrays, const nb::tuple& rules)
      : outcome(nb::cast<Array<std::int32_t>>(arrays[0])),
        weight(nb::cast<Array<std::int64_t>>(arrays[1])),
        cost(nb::cast<Array<std::int64_t>>(arrays[2])),
        outcome_start(nb::cast<Array<std::int64_t>>(arrays[3])),
        masks(nb::cast<Array<std::uint64_t>>(arrays[4])),
        start(nb::cast<Array<std::uint64_t>>(arrays[5])),
        classes(nb::cast<Array<std::uint64_t>>(arrays[6])),
        node_purchase(nb::cast<Array<std::int32_t>>(arrays[7])),
        next_start(nb::cast<Array<std::int64_t>>(arrays[8])),
        next(nb::cast<Array<std::int32_t>>(arrays[9])) {
    problem.n_purchases = cost.size();
    problem.n_words = start.size();
    problem.outcome = view(outcome);
    problem.weight = view(weight);
    problem.cost = view(cost);
    problem.outcome_start = view(outcome_start);
    problem.masks = view(masks);
    problem.start = view(start);
    problem.classes = view(classes);
    problem.node_purchase = view(node_purchase);
    problem.next_start = view(next_start);
    problem.next = view(next);
    const auto limit = [](const nb::handle& given) {
      return given.is_none() ? Acquisition::unlimited : nb::cast<std::int64_t>(given);
    };
    problem.free = nb::cast<std::int32_t>(rules[0]);
    problem.budget = limit(rules[1]);
    problem.questions = limit(rules[2]);
    problem.may_stop = nb::cast<bool>(rules[3]);
    problem.worst = nb::cast<bool>(rules[4]);
  }
};

nb::tuple give_tree(PolicyTree tree) {
  return nb::make_tuple(give(std::move(tree.purchase)), give(std::move(tree.label)),
                        give(std::move(tree.parent)), give(std::move(tree.outcome)),
                        give(std::move(tree.weight)), give(std::move(tree.cost)),
                        give(std::move(tree.worst)), give(std::move(tree.missed)));
}

double seconds_since(const void* start) {
  const auto& then = *static_cast<const Clockwork::time_point*>(start);
  return std::chrono::duration<double>(Clockwork::now() - then).count();
}

void poll(std::size_t) { poll_signals(); }

}  // namespace

void bind_acquisition(nb::module_& m) {
  m.def(
      "fixed_policy",
      [](const nb::tuple& arrays, const nb::tuple& rules, std::int32_t kind, bool stop) {
        const Given given(arrays, rules);
        PolicyTree tree;
        {
          nb::gil_scoped_release unlocked;  // pure C++ below: no Python object is touched
          tree = fixed_policy(given.problem, static_cast<Fixed>(kind), stop, poll);
        }
        return give_tree(std::move(tree));
      },
      "arrays"_a, "rules"_a, "kind"_a, "stop"_a,
      "Policy (purchase, label, parent, outcome, weight, cost, worst, missed) by node.");
  m.def(
      "cheapest_policy",
      [](const nb::tuple& arrays, const nb::tuple& rules, std::size_t limit, double time_limit) {
        const Given given(arrays, rules);
        Cheapest found;
        {
          nb::gil_scoped_release unlocked;  // pure C++ below: no Python object is touched
          const Clockwork::time_point start = Clockwork::now();
          const Clock clock{poll, seconds_since, &start, time_limit};
          found = cheapest_policy(given.problem, limit, clock);
        }
        return nb::make_tuple(give_tree(std::move(found.tree)), found.bound, found.bound_missed,
                              found.proven, found.n_states);
      },
      "arrays"_a, "rules"_a, "limit"_a, "time_limit"_a,
      "(policy, bound on the cost, bound on the weight left undetermined, proven, states).");
  m.def(
      "least_cost",
      [](const nb::tuple& arrays, const nb::tuple& rules) {
        const Given given(arrays, rules);
        std::pair<std::int64_t, std::int64_t> least;
        {
          nb::gil_scoped_release unlocked;  // pure C++ below: no Python object is touched
          least = least_cost(given.problem);
        }
        return nb::make_tuple(least.first, least.second);
      },
      "arrays"_a, "rules"_a, "(bound on the cost, bound on the weight left undetermined).");
  m.def(
      "learned_policy",
      [](const nb::tuple& arrays, const nb::tuple& rules, std::size_t episodes, double alpha,
         double gamma, double exploration, double reward, std::uint64_t seed) {
        const Given given(arrays, rules);
        Learned found;
        {
          nb::gil_scoped_release unlocked;  // pure C++ below: no Python object is touched
          found = learned_policy(given.problem, {episodes, alpha, gamma, exploration, reward, seed},
                                 poll);
        }
        return nb::make_tuple(give_tree(std::move(found.tree)), give(std::move(found.states)),
                              give(std::move(found.values)));
      },
      "arrays"_a, "rules"_a, "episodes"_a, "alpha"_a, "gamma"_a, "exploration"_a, "reward"_a,
      "seed"_a, "(policy, states x purchases: outcome or -1, states x purchases: value).");
}
