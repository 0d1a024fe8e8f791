#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/rashomon_graphs.hpp"
#include "bindings/record.hpp"
#include "core/rashomon/api.hpp"

// Views of the graphs of _core.rashomon, and what their columns mean, as they come from Python.

namespace orderless::rashomon {

using namespace bindings;

inline Record view_record, narrowing_record;

/// Reads the record View.
inline View view_of(const Graph& graph, const nb::object& record) {
  View out;
  Array<std::uint8_t> allowed;
  Array<std::int32_t> feature;
  Fields fields(view_record, record);
  fields.read("bound", out.bound);
  fields.read("max_leaves", out.max_leaves);
  fields.read("allowed", allowed);
  fields.read("required", out.required);
  fields.read("trivial", out.trivial);
  fields.read("feature", feature);
  fields.read("most_features", out.most_features);
  check(allowed.size() == graph.rows.n_columns, "allowed: one entry per column");
  check(out.required.size() <= 16, "required: at most 16 groups");
  check(out.bound <= graph.bound, "bound: at most the graph's");
  for (const auto& group : out.required) {
    for (const std::int32_t column : group) {
      check(column >= 0 && static_cast<std::size_t>(column) < graph.rows.n_columns,
            "required: numbers of columns");
    }
  }
  check(feature.size() == 0 || feature.size() == graph.rows.n_columns,
        "feature: one entry per column, or none");
  for (const std::int32_t each : view(feature)) {
    check(each >= -1 && static_cast<std::size_t>(each + 1) + out.required.size() <= 64,
          "feature: at most 64 features and groups");
  }
  out.allowed.assign(allowed.data(), allowed.data() + allowed.size());
  out.feature.assign(feature.data(), feature.data() + feature.size());
  return out;
}

/// Reads the record Narrowing.
inline Narrowing narrowing_of(const Graph& graph, const nb::object& record) {
  const std::size_t d = graph.rows.n_columns;
  Narrowing out;
  Array<std::int32_t> feature;
  Array<std::int64_t> price;
  std::vector<std::tuple<Array<std::uint8_t>, std::int32_t, std::int32_t>> first;
  Fields fields(narrowing_record, record);
  fields.read("least_weight", out.least_weight);
  fields.read("first", first);
  fields.read("feature", feature);
  fields.read("price", price);
  fields.read("most_paid", out.most_paid);
  check(feature.size() == 0 || feature.size() == d, "feature: one entry per column, or none");
  for (const std::int32_t each : view(feature)) {
    check(each >= 0 && static_cast<std::size_t>(each) < price.size(), "feature: places in price");
  }
  for (const std::int64_t each : view(price)) check(each >= 0, "price: from 0 on");
  out.feature.assign(feature.data(), feature.data() + feature.size());
  out.price.assign(price.data(), price.data() + price.size());
  const auto n = static_cast<std::int32_t>(first.size());
  for (std::int32_t i = 0; const auto& [columns, when_true, when_false] : first) {
    check(columns.size() == d, "first: one entry per column");
    check((when_true == -1 || (when_true > i && when_true < n)) &&
              (when_false == -1 || (when_false > i && when_false < n)),
          "first: every question leads to later ones, or to -1");
    const auto asked = view(columns);
    out.first.push_back({{asked.begin(), asked.end()}, when_true, when_false});
    ++i;
  }
  return out;
}

/// The weights of orderless.rashomon's Meaning, kept alive while C++ looks at them.
struct MeasureArrays {
  Array<std::int32_t> feature;
  Array<double> threshold;
  Array<std::uint8_t> nan_true, one_is_true;
  Array<std::int64_t> set_start;
  Array<std::int32_t> set_values;
  std::vector<Domain> domains;
  std::vector<same::FeatureWeights> weights;
  std::vector<Point> class_values;

  explicit MeasureArrays(const nb::tuple& given) {
    const auto meaning = nb::cast<nb::tuple>(given[0]);
    feature = nb::cast<Array<std::int32_t>>(meaning[0]);
    threshold = nb::cast<Array<double>>(meaning[1]);
    nan_true = nb::cast<Array<std::uint8_t>>(meaning[2]);
    one_is_true = nb::cast<Array<std::uint8_t>>(meaning[3]);
    set_start = nb::cast<Array<std::int64_t>>(meaning[4]);
    set_values = nb::cast<Array<std::int32_t>>(meaning[5]);
    domains = read_domains(nb::cast<nb::tuple>(given[1]));
    const std::vector<Point> keys = points(nb::cast<Array<std::uint64_t>>(given[2]));
    const auto values = nb::cast<nb::list>(given[3]);
    weights.resize(domains.size());
    for (std::size_t f = 0; f < weights.size(); ++f) {
      weights[f].key = keys[f];
      weights[f].values = points(nb::cast<Array<std::uint64_t>>(values[f]));
    }
    class_values = points(nb::cast<Array<std::uint64_t>>(given[4]));
  }

  [[nodiscard]] SpaceMeasure measure() const {
    TreeView conditions;
    conditions.feature = view(feature);
    conditions.threshold = view(threshold);
    conditions.nan_true = view(nan_true);
    conditions.set_start = view(set_start);
    conditions.set_values = view(set_values);
    return {{conditions, view(one_is_true)}, domains, weights};
  }
};

}  // namespace orderless::rashomon
