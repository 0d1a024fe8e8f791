// _core.reasons: reasons, rules, and the tree that depends on the function alone.

#include "bindings/bins.hpp"
#include "bindings/calls.hpp"
#include "bindings/explain.hpp"
#include "bindings/record.hpp"
#include "core/reasons/api.hpp"

namespace orderless::reasons {

using namespace bindings;
using namespace nb::literals;

namespace {

Record cover_record;

nb::list reasons_of(const nb::tuple& arrays, const nb::tuple& bins, std::int32_t n_classes,
                    std::size_t limit, double time_limit, const std::vector<bool>& wanted) {
  const BinNodes nodes(arrays);
  const BoxLayout layout = layout_of(bins);
  const std::vector<std::uint8_t> flags(wanted.begin(), wanted.end());
  if (!flags.empty() && flags.size() != static_cast<std::size_t>(n_classes)) {
    throw nb::value_error("wanted must have one entry per class");
  }
  std::vector<BoxList> found = unlocked([&] {
    return all_reasons(nodes.tree(), layout, n_classes, limit, watch(time_limit), flags);
  });
  nb::list tables;
  for (BoxList& list : found) tables.append(give_boxes(std::move(list)));
  return tables;
}

auto smallest_cover_of(const nb::tuple& bins, const Table<std::uint16_t>& leaves,
                       const Table<std::uint16_t>& candidates, double time_limit) {
  const BoxLayout layout = layout_of(bins);
  const BoxList leaf_boxes = boxes_of(leaves);
  const BoxList boxes = boxes_of(candidates);
  return give(
      unlocked([&] { return smallest_cover(layout, leaf_boxes, boxes, watch(time_limit)); }));
}

nb::object irredundant_cover_of(const nb::tuple& arrays, const nb::tuple& bins,
                                std::int32_t n_classes, std::size_t class_index,
                                const Table<std::uint16_t>& leaves, double time_limit) {
  const BinNodes nodes(arrays);
  const BoxLayout layout = layout_of(bins);
  const BoxList leaf_boxes = boxes_of(leaves);
  FastCover cover = unlocked([&] {
    const LeafMasks masks(nodes.tree(), layout, n_classes);
    return irredundant_cover(layout, masks, class_index, leaf_boxes, watch(time_limit));
  });
  return cover_record(give_boxes(std::move(cover.boxes)), cover.bound);
}

int cover_fault_of(const nb::tuple& arrays, const nb::tuple& bins, std::int32_t n_classes,
                   std::size_t class_index, const Table<std::uint16_t>& leaves,
                   const Table<std::uint16_t>& cover, std::size_t polls) {
  const BinNodes nodes(arrays);
  const BoxLayout layout = layout_of(bins);
  const BoxList leaf_boxes = boxes_of(leaves);
  const BoxList boxes = boxes_of(cover);
  const auto poll = [&polls](std::size_t met) {
    poll_signals();
    if (polls-- == 0) throw TimeUp(met);
  };
  return static_cast<int>(unlocked([&] {
    const LeafMasks masks(nodes.tree(), layout, n_classes);
    return cover_fault(layout, masks, class_index, leaf_boxes, boxes, poll);
  }));
}

nb::object canonical_tree_of(const nb::tuple& arrays, const nb::tuple& bins, std::size_t limit,
                             double time_limit) {
  const BinNodes nodes(arrays);
  const std::vector<BinFeature> features = bin_features(bins);
  return give_nodes(arrays, unlocked([&] {
                      return canonical_tree(nodes.tree(), features, limit, watch(time_limit));
                    }));
}

}  // namespace

void bind(nb::module_& m) {
  bind_explain(m);
  cover_record.define(m, "Cover", {"boxes", "bound"});
  m.def("all_reasons", &reasons_of, "nodes"_a, "bins"_a, "n_classes"_a, "limit"_a, "time_limit"_a,
        "wanted"_a, "One table of boxes per class; empty for those that are not wanted.");
  m.def("smallest_cover", &smallest_cover_of, "bins"_a, "leaves"_a, "reasons"_a, "time_limit"_a,
        "The positions of the chosen reasons.");
  m.def("irredundant_cover", &irredundant_cover_of, "nodes"_a, "bins"_a, "n_classes"_a,
        "class_index"_a, "leaves"_a, "time_limit"_a,
        "Boxes of which none can be left out, and a lower bound on the size of any cover.");
  m.def("cover_fault", &cover_fault_of, "nodes"_a, "bins"_a, "n_classes"_a, "class_index"_a,
        "leaves"_a, "cover"_a, "polls"_a,
        "0 for a cover, 1 where a box meets another class, 2 where part of a leaf is open. TimeUp "
        "where it takes more steps than these many polls.");
  m.def("canonical_tree", &canonical_tree_of, "nodes"_a, "bins"_a, "limit"_a, "time_limit"_a,
        "The nodes over bins of the tree that depends on the function alone.");
}

}  // namespace orderless::reasons
