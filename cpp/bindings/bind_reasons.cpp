#include "bindings/bins.hpp"
#include "bindings/clock.hpp"
#include "core/reasons/canonical.hpp"
#include "core/reasons/cover.hpp"
#include "core/reasons/maximal.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;
using namespace orderless::reasons;

namespace {

using Table = nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>>;
using TableIn = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

BoxLayout layout_of(const nb::tuple& arrays) { return BoxLayout(bin_features(arrays)); }

Table table(BoxList list) {
  const std::size_t n = list.size();
  const std::size_t width = list.n_slots;
  auto* owner = new std::vector<std::uint16_t>(std::move(list.slots));
  nb::capsule free(owner,
                   [](void* p) noexcept { delete static_cast<std::vector<std::uint16_t>*>(p); });
  return Table(owner->data(), {n, width}, free);
}

BoxList boxes_of(const TableIn& given) {
  BoxList list;
  list.n_slots = given.shape(1);
  list.slots.assign(given.data(), given.data() + given.size());
  list.count = given.shape(0);
  return list;
}

}  // namespace

void bind_reasons(nb::module_& m) {
  m.def(
      "reasons",
      [](const nb::tuple& arrays, const nb::tuple& bins, std::int32_t n_classes, std::size_t limit,
         double time_limit) {
        const BinNodes nodes(arrays);
        const BoxLayout layout = layout_of(bins);
        std::vector<BoxList> found;
        const auto [outcome, met] = run([&] {
          found = all_reasons(nodes.tree(), layout, n_classes, limit, watch(time_limit));
        });
        nb::list tables;
        for (BoxList& list : found) tables.append(table(std::move(list)));
        return nb::make_tuple(static_cast<int>(outcome), met, tables);
      },
      "nodes"_a, "bins"_a, "n_classes"_a, "limit"_a, "time_limit"_a,
      "(outcome, boxes met, one table of boxes per class).");
  m.def(
      "leaf_boxes",
      [](const nb::tuple& arrays, const nb::tuple& bins, std::int32_t n_classes) {
        const BinNodes nodes(arrays);
        const BoxLayout layout = layout_of(bins);
        const LeafMasks masks(nodes.tree(), layout, n_classes);
        BoxList list;
        list.n_slots = layout.n_slots();
        std::vector<std::int32_t> leaves;
        for (std::size_t i = 0; i < nodes.feature.size(); ++i) {
          if (nodes.feature.data()[i] >= 0) continue;
          leaves.push_back(static_cast<std::int32_t>(i));
          list.push(masks.region(i).data());
        }
        return nb::make_tuple(give(std::move(leaves)), table(std::move(list)));
      },
      "nodes"_a, "bins"_a, "n_classes"_a, "(numbers of the leaves, their boxes).");
  m.def(
      "smallest_cover",
      [](const nb::tuple& bins, const TableIn& leaves, const TableIn& candidates,
         double time_limit) {
        const BoxLayout layout = layout_of(bins);
        const BoxList leaf_boxes = boxes_of(leaves);
        const BoxList boxes = boxes_of(candidates);
        std::vector<std::int32_t> chosen;
        const auto [outcome, met] =
            run([&] { chosen = smallest_cover(layout, leaf_boxes, boxes, watch(time_limit)); });
        return nb::make_tuple(static_cast<int>(outcome), met, give(std::move(chosen)));
      },
      "bins"_a, "leaves"_a, "reasons"_a, "time_limit"_a,
      "(outcome, boxes met, positions of the chosen reasons).");
  m.def(
      "irredundant_cover",
      [](const nb::tuple& arrays, const nb::tuple& bins, std::int32_t n_classes,
         std::size_t class_index, const TableIn& leaves, double time_limit) {
        const BinNodes nodes(arrays);
        const BoxLayout layout = layout_of(bins);
        const BoxList leaf_boxes = boxes_of(leaves);
        FastCover cover;
        const auto [outcome, met] = run([&] {
          const LeafMasks masks(nodes.tree(), layout, n_classes);
          cover = irredundant_cover(layout, masks, class_index, leaf_boxes, watch(time_limit));
        });
        return nb::make_tuple(static_cast<int>(outcome), met, table(std::move(cover.boxes)),
                              cover.bound);
      },
      "nodes"_a, "bins"_a, "n_classes"_a, "class_index"_a, "leaves"_a, "time_limit"_a,
      "(outcome, boxes met, boxes, lower bound on the size of any cover).");
  m.def(
      "cover_fault",
      [](const nb::tuple& arrays, const nb::tuple& bins, std::int32_t n_classes,
         std::size_t class_index, const TableIn& leaves, const TableIn& cover, std::size_t polls) {
        const BinNodes nodes(arrays);
        const BoxLayout layout = layout_of(bins);
        const BoxList leaf_boxes = boxes_of(leaves);
        const BoxList boxes = boxes_of(cover);
        CoverFault fault = CoverFault::none;
        std::size_t left = polls;
        const auto [outcome, met] = run([&] {
          const LeafMasks masks(nodes.tree(), layout, n_classes);
          fault =
              cover_fault(layout, masks, class_index, leaf_boxes, boxes, [&left](std::size_t n) {
                poll_signals();
                if (left-- == 0) throw TimeUp{n};
              });
        });
        return nb::make_tuple(static_cast<int>(outcome), static_cast<std::int32_t>(fault));
      },
      "nodes"_a, "bins"_a, "n_classes"_a, "class_index"_a, "leaves"_a, "cover"_a, "polls"_a,
      "(outcome, 0 for a cover, 1 where a box meets another class, 2 where part of a leaf is "
      "open); "
      "the outcome is 2 where it took more steps than these many polls.");
  m.def(
      "canonical_tree",
      [](const nb::tuple& arrays, const nb::tuple& bins, std::size_t limit, double time_limit) {
        const BinNodes nodes(arrays);
        const std::vector<BinFeature> features = bin_features(bins);
        WrittenTree found;
        const auto [outcome, met] =
            run([&] { found = canonical_tree(nodes.tree(), features, limit, watch(time_limit)); });
        return nb::make_tuple(static_cast<int>(outcome), met, give_nodes(std::move(found)));
      },
      "nodes"_a, "bins"_a, "limit"_a, "time_limit"_a,
      "(outcome, nodes met, nodes over bins): the tree that depends on the function alone.");
}
