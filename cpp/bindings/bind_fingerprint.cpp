#include "bindings/arrays.hpp"
#include "core/same/fingerprint.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;
using namespace orderless::same;

namespace {

std::vector<Point> points(const Array<std::uint64_t>& flat) {
  std::vector<Point> out(flat.size() / 2);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = {flat.data()[2 * i], flat.data()[2 * i + 1]};
  return out;
}

}  // namespace

void bind_fingerprint(nb::module_& m) {
  m.def(
      "fingerprints",
      [](const nb::tuple& arrays, const Array<std::int64_t>& start, const nb::tuple& domain_arrays,
         const Array<std::uint64_t>& keys, const nb::list& value_weights,
         const Array<std::uint64_t>& class_values) {
        const Nodes nodes(arrays);
        const std::vector<Domain> domains = read_domains(domain_arrays);
        std::vector<FeatureWeights> weights(domains.size());
        const std::vector<Point> key_points = points(keys);
        for (std::size_t f = 0; f < weights.size(); ++f) {
          weights[f].key = key_points[f];
          weights[f].values = points(nb::cast<Array<std::uint64_t>>(value_weights[f]));
        }
        const std::vector<Point> classes = points(class_values);
        std::vector<std::uint64_t> out;
        {
          nb::gil_scoped_release unlocked;
          for (const Point& point :
               fingerprints({nodes.tree(), view(start)}, domains, weights, classes, poll_signals)) {
            out.insert(out.end(), {point[0], point[1]});
          }
        }
        return give(std::move(out));
      },
      "nodes"_a, "start"_a, "domains"_a, "keys"_a, "value_weights"_a, "class_values"_a,
      "Two field elements per tree, one after the other.");
  m.def(
      "siphash",
      [](std::uint64_t key0, std::uint64_t key1, std::uint64_t message) {
        const Point hash = siphash({key0, key1}, message);
        return nb::make_tuple(hash[0], hash[1]);
      },
      "key0"_a, "key1"_a, "message"_a, "SipHash-2-4-128 of eight bytes.");
}
