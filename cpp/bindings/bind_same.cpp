// _core.same: whether trees are the same function.

#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/held.hpp"
#include "bindings/record.hpp"
#include "core/base/bits.hpp"
#include "core/same/api.hpp"

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

/// Fingerprints of trees that the core holds, over one space and with the same classes.
class Prints {
 public:
  Prints(const HeldSpace& space, const Array<std::uint64_t>& keys, const nb::list& value_weights,
         const Array<std::uint64_t>& class_values)
      : domains_(space.domains), weights_(domains_.size(), keys, value_weights, class_values) {}

  [[nodiscard]] auto points(const nb::list& trees) const { return give_points(of(trees)); }

  [[nodiscard]] nb::list groups(const nb::list& trees) const {
    const std::vector<std::size_t> number = group_numbers(of(trees));
    std::vector<nb::list> found;
    for (std::size_t i = 0; i < number.size(); ++i) {
      if (number[i] == found.size()) found.emplace_back();
      found[number[i]].append(i);
    }
    nb::list out;
    for (const nb::list& group : found) out.append(group);
    return out;
  }

 private:
  [[nodiscard]] std::vector<Point> of(const nb::list& trees) const {
    std::vector<const HeldTree*> held;  // which the list keeps alive
    held.reserve(trees.size());
    for (const nb::handle tree : trees) held.push_back(nb::cast<const HeldTree*>(tree));
    return unlocked([&] {
      return fingerprints([&](std::size_t i) { return held[i]->view(); }, held.size(), domains_,
                          weights_.features, weights_.classes, poll_signals);
    });
  }

  std::vector<Domain> domains_;
  Weights weights_;
};

nb::tuple siphash_of(std::uint64_t key0, std::uint64_t key1, std::uint64_t message) {
  const Point hash = siphash({key0, key1}, message);
  return nb::make_tuple(hash[0], hash[1]);
}

nb::object difference_of(const nb::tuple& a, const nb::tuple& b, const nb::tuple& domain_arrays,
                         double time_limit) {
  const Nodes nodes_a(a), nodes_b(b);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  const std::optional<Difference> found = unlocked(
      [&] { return first_difference(nodes_a.tree(), nodes_b.tree(), domains, watch(time_limit)); });
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
                const std::vector<std::vector<double>>& cuts, double time_limit) {
  const Nodes nodes_a(a), nodes_b(b);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  return unlocked([&] {
    return share_of_difference(nodes_a.tree(), nodes_b.tree(), domains, cuts, watch(time_limit));
  });
}

}  // namespace

void bind(nb::module_& m) {
  difference_record.define(m, "Difference", {"box", "class_a", "class_b"});
  side_record.define(m, "Side", {"lower", "upper", "nan", "values"});
  m.def("fingerprints", &fingerprints_of, "nodes"_a, "start"_a, "domains"_a, "keys"_a,
        "value_weights"_a, "class_values"_a, "Two field elements per tree, one after the other.");
  nb::class_<Prints>(m, "Prints")
      .def(nb::init<const HeldSpace&, const Array<std::uint64_t>&, const nb::list&,
                    const Array<std::uint64_t>&>(),
           "space"_a, "keys"_a, "value_weights"_a, "class_values"_a)
      .def("points", &Prints::points, "trees"_a, "Likewise, of trees that the core holds.")
      .def("groups", &Prints::groups, "trees"_a,
           "The positions of trees with equal fingerprints, in the order of the first of them.");
  m.def("siphash", &siphash_of, "key0"_a, "key1"_a, "message"_a, "SipHash-2-4-128 of eight bytes.");
  m.def("first_difference", &difference_of, "a"_a, "b"_a, "domains"_a, "time_limit"_a,
        "None, or a box on which the trees differ.");
  m.def("redundant_splits", &redundant_splits_of, "nodes"_a, "domains"_a, "time_limit"_a,
        "The numbers of the nodes that can be left out one at a time. TimeUp.met: comparisons.");
  m.def("share_of_difference", &share_of, "a"_a, "b"_a, "domains"_a, "cuts"_a, "time_limit"_a);
}

}  // namespace orderless::same
