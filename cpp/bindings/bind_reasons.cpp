#include <chrono>

#include "bindings/bins.hpp"
#include "core/cover.hpp"
#include "core/reasons.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace orderless;
using namespace orderless::bindings;

namespace {

using Table = nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<2>>;
using TableIn = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// How a search ended: with its answer, or at one of its limits.
enum Outcome { done = 0, too_many = 1, out_of_time = 2 };

struct TimeUp {
  std::size_t met;
};

/// Lets Ctrl-C through and watches the clock; called by the core with the GIL released.
PollFunction watch(double time_limit) {
  const auto start = std::chrono::steady_clock::now();
  return [start, time_limit](std::size_t met) {
    poll_signals();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (passed.count() > time_limit) throw TimeUp{met};
  };
}

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

/// Runs a search without the GIL; gives how it ended and how many boxes were met.
template <class Work>
std::pair<Outcome, std::size_t> run(Work&& work) {
  nb::gil_scoped_release unlocked;
  try {
    work();
    return {done, 0};
  } catch (const TooMany& limit) {
    return {too_many, limit.met};
  } catch (const TimeUp& limit) {
    return {out_of_time, limit.met};
  }
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
        const auto [outcome, met] = run(
            [&] { found = reasons(nodes.tree(), layout, n_classes, limit, watch(time_limit)); });
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
}
