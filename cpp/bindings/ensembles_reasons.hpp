#pragma once

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/ensembles/api.hpp"

// What _core.ensembles hands out as a Sum, and the reasons that it finds.

namespace orderless::ensembles {

inline constexpr std::size_t default_room = std::size_t{1} << 30;

struct Model {
  Sum sum;
  Complete complete;
  Model(const SumParts& parts, std::vector<BinFeature> features)
      : sum(parts, std::move(features)), complete(sum) {}
  Model(const Model& own, const BinTree& facts, std::span<const std::int32_t> roots)
      : sum(own.sum, facts, roots), complete(own.complete, sum) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
};

inline void check_width(std::size_t came, std::size_t wanted) {
  if (came != wanted) throw std::invalid_argument("rows are not as wide as the features' bins");
}

/// Adds Ranges, and to Sum what finds them.
void bind_ranges(bindings::nb::module_& m, bindings::nb::class_<Model>& sum);

/// Adds Reason, and to Sum what finds one.
void bind_reasons(bindings::nb::module_& m, bindings::nb::class_<Model>& sum);

}  // namespace orderless::ensembles
