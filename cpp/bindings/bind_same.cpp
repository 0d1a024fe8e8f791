// _core.same: whether trees are the same function.

#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/held.hpp"
#include "bindings/record.hpp"
#include "core/base/bits.hpp"
#include "core/same/room.hpp"

namespace orderless::same {

using namespace bindings;
using namespace nb::literals;

namespace {

Record difference_record, side_record;

/// The sides of a box by feature.
nb::list box_to_python(const Box& box) {
  nb::list sides;
  for (const Side& side : box) {
    nb::list values;
    each_bit(side.bits, [&](std::size_t value) { values.append(value); });
    sides.append(side_record(side.lower, side.upper, side.nan, values));
  }
  return sides;
}

/// What fingerprints need to know of features and classes.
struct Weights {
  std::vector<FeatureWeights> features;
  std::vector<Point> classes;

  Weights(std::size_t n_features, const Array<std::uint64_t>& keys, const nb::list& value_weights,
          const Array<std::uint64_t>& class_values)
      : features(n_features), classes(points(class_values)) {
    const std::vector<Point> key_points = points(keys);
    for (std::size_t f = 0; f < n_features; ++f) {
      features[f].key = key_points[f];
      features[f].values = points(nb::cast<Array<std::uint64_t>>(value_weights[f]));
    }
  }
};

auto give_points(const std::vector<Point>& found) {
  std::vector<std::uint64_t> out;
  out.reserve(2 * found.size());
  for (const Point& point : found) out.insert(out.end(), {point[0], point[1]});
  return give(std::move(out));
}

auto fingerprints_of(const nb::tuple& arrays, const Array<std::int64_t>& start,
                     const nb::tuple& domain_arrays, const Array<std::uint64_t>& keys,
                     const nb::list& value_weights, const Array<std::uint64_t>& class_values) {
  const Nodes nodes(arrays);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  const Weights weights(domains.size(), keys, value_weights, class_values);
  return give_points(unlocked([&] {
    return fingerprints({nodes.tree(), view(start)}, domains, weights.features, weights.classes,
                        poll_signals);
  }));
}

auto held_fingerprints_of(const nb::list& trees, const HeldSpace& space,
                          const Array<std::uint64_t>& keys, const nb::list& value_weights,
                          const Array<std::uint64_t>& class_values) {
  std::vector<const HeldTree*> held;  // which the list keeps alive
  held.reserve(trees.size());
  for (const nb::handle tree : trees) held.push_back(nb::cast<const HeldTree*>(tree));
  const Weights weights(space.domains.size(), keys, value_weights, class_values);
  return give_points(unlocked([&] {
    return fingerprints([&](std::size_t i) { return held[i]->view(); }, held.size(), space.domains,
                        weights.features, weights.classes, poll_signals);
  }));
}

nb::tuple siphash_of(std::uint64_t key0, std::uint64_t key1, std::uint64_t message) {
  const Point hash = siphash({key0, key1}, message);
  return nb::make_tuple(hash[0], hash[1]);
}

nb::object difference_of(const nb::tuple& a, const nb::tuple& b, const nb::tuple& domain_arrays) {
  const Nodes nodes_a(a), nodes_b(b);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  const std::optional<Difference> found = unlocked(
      [&] { return first_difference(nodes_a.tree(), nodes_b.tree(), domains, poll_signals); });
  if (!found) return nb::none();
  return difference_record(box_to_python(found->box), found->class_a, found->class_b);
}

auto redundant_splits_of(const nb::tuple& arrays, const nb::tuple& domain_arrays,
                         double time_limit) {
  const Nodes nodes(arrays);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  return give(unlocked([&] { return redundant_splits(nodes.tree(), domains, watch(time_limit)); }));
}

double share_of(const nb::tuple& a, const nb::tuple& b, const nb::tuple& domain_arrays,
                const std::vector<std::vector<double>>& cuts) {
  const Nodes nodes_a(a), nodes_b(b);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  return unlocked([&] {
    return share_of_difference(nodes_a.tree(), nodes_b.tree(), domains, cuts, poll_signals);
  });
}

}  // namespace

void bind(nb::module_& m) {
  difference_record.define(m, "Difference", {"box", "class_a", "class_b"});
  side_record.define(m, "Side", {"lower", "upper", "nan", "values"});
  m.def("fingerprints", &fingerprints_of, "nodes"_a, "start"_a, "domains"_a, "keys"_a,
        "value_weights"_a, "class_values"_a, "Two field elements per tree, one after the other.");
  m.def("held_fingerprints", &held_fingerprints_of, "trees"_a, "space"_a, "keys"_a,
        "value_weights"_a, "class_values"_a, "Likewise, of trees that the core holds.");
  m.def("siphash", &siphash_of, "key0"_a, "key1"_a, "message"_a, "SipHash-2-4-128 of eight bytes.");
  m.def("first_difference", &difference_of, "a"_a, "b"_a, "domains"_a,
        "None, or a box on which the trees differ.");
  m.def("redundant_splits", &redundant_splits_of, "nodes"_a, "domains"_a, "time_limit"_a,
        "The numbers of the nodes that can be left out one at a time. TimeUp.met: comparisons.");
  m.def("share_of_difference", &share_of, "a"_a, "b"_a, "domains"_a, "cuts"_a);
}

}  // namespace orderless::same
