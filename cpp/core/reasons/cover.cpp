#include "core/reasons/cover.hpp"

#include <algorithm>
#include <optional>

#include "core/reasons/setcover.hpp"

namespace orderless::reasons {

namespace {

using Slots = std::vector<std::uint16_t>;

constexpr std::size_t words_at_once = 8;
constexpr std::size_t steps_per_poll = 10'000;  // boxes that are compared, about a millisecond

/// Set arithmetic on boxes.
class Boxes {
 public:
  Boxes(const BoxLayout& layout, const PollFunction& poll) : layout_(layout), poll_(poll) {}

  [[nodiscard]] bool side_within(std::size_t f, const std::uint16_t* a,
                                 const std::uint16_t* b) const {
    const std::size_t s = layout_.slot(f);
    if (layout_.feature(f).ordered) {
      if (a[s] <= a[s + 1] && (a[s] < b[s] || a[s + 1] > b[s + 1])) return false;
      return !layout_.feature(f).nan || a[s + 2] <= b[s + 2];
    }
    for (std::size_t i = s; i < s + layout_.slots_of(f); ++i) {
      if ((a[i] & ~b[i]) != 0) return false;
    }
    return true;
  }

  [[nodiscard]] bool within(const std::uint16_t* a, const std::uint16_t* b) const {
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      if (!side_within(f, a, b)) return false;
    }
    return true;
  }

  [[nodiscard]] bool meet(const std::uint16_t* a, const std::uint16_t* b) const {
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      if (!layout_.sides_meet(f, a, b)) return false;
    }
    return true;
  }

  /// The parts of a's side of f outside b's, as boxes that otherwise equal a.
  [[nodiscard]] std::vector<Slots> outside(std::size_t f, const Slots& a,
                                           const std::uint16_t* b) const {
    std::vector<Slots> parts;
    const std::size_t s = layout_.slot(f);
    if (!layout_.feature(f).ordered) {
      Slots part = a;
      bool some = false;
      for (std::size_t i = s; i < s + layout_.slots_of(f); ++i) {
        part[i] = static_cast<std::uint16_t>(a[i] & ~b[i]);
        some = some || part[i] != 0;
      }
      if (some) parts.push_back(std::move(part));
      return parts;
    }
    const bool nan = layout_.feature(f).nan;
    const auto interval = [&](std::uint16_t low, std::uint16_t high) {
      Slots part = a;
      part[s] = low;
      part[s + 1] = high;
      if (nan) part[s + 2] = 0;
      parts.push_back(std::move(part));
    };
    if (a[s] <= a[s + 1]) {
      if (b[s] > b[s + 1]) {
        interval(a[s], a[s + 1]);
      } else {
        if (a[s] < b[s]) {
          interval(a[s], std::min(a[s + 1], static_cast<std::uint16_t>(b[s] - 1)));
        }
        if (a[s + 1] > b[s + 1]) {
          interval(std::max(a[s], static_cast<std::uint16_t>(b[s + 1] + 1)), a[s + 1]);
        }
      }
    }
    if (nan && a[s + 2] > b[s + 2]) {
      Slots part = a;
      part[s] = 1;
      part[s + 1] = 0;
      parts.push_back(std::move(part));
    }
    return parts;
  }

  /// Some part of `region` that no box of `chosen`, from `from` on, meets; none if they cover it.
  [[nodiscard]] std::optional<Slots> uncovered(Slots region,
                                               const std::vector<const std::uint16_t*>& chosen,
                                               std::size_t from = 0) {
    steps_ += chosen.size() - from + 1;
    if (steps_ >= steps_per_poll) {
      steps_ = 0;
      poll_(chosen.size());
    }
    for (std::size_t k = from; k < chosen.size(); ++k) {
      if (!meet(region.data(), chosen[k])) continue;
      for (std::size_t f = 0; f < layout_.n_features(); ++f) {
        for (Slots& part : outside(f, region, chosen[k])) {
          if (auto found = uncovered(std::move(part), chosen, k + 1)) return found;
        }
        layout_.cut_down(f, region.data(), chosen[k]);
      }
      return std::nullopt;  // what is left of the region lies inside the box
    }
    return region;
  }

  /// The boxes that meet one of them, in their order, without it.
  [[nodiscard]] std::vector<const std::uint16_t*> meeting(const std::vector<Slots>& list,
                                                          std::size_t one) const {
    std::vector<const std::uint16_t*> out;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (k != one && meet(list[one].data(), list[k].data())) out.push_back(list[k].data());
    }
    return out;
  }

  /// Shrinks a region until every box of the list contains it or misses it, missing where possible;
  /// gives the positions of those that contain it.
  [[nodiscard]] std::vector<std::int32_t> shrink(Slots& region, const BoxList& list) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!meet(region.data(), list[i])) continue;
      for (std::size_t f = 0; f < layout_.n_features(); ++f) {
        std::vector<Slots> parts = outside(f, region, list[i]);
        if (parts.empty()) continue;
        region = std::move(parts.front());
        break;
      }
    }
    std::vector<std::int32_t> around;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (within(region.data(), list[i])) around.push_back(static_cast<std::int32_t>(i));
    }
    return around;
  }

 private:
  const BoxLayout& layout_;
  const PollFunction& poll_;
  std::size_t steps_ = 0;
};

Slots slots(const BoxList& list, std::size_t i) { return Slots(list[i], list[i] + list.n_slots); }

}  // namespace

std::vector<std::int32_t> smallest_cover(const BoxLayout& layout, const BoxList& leaves,
                                         const BoxList& reasons, const PollFunction& poll) {
  if (leaves.size() == 0) return {};
  if (reasons.size() == 1) return {0};  // all of them together cover the class
  Boxes boxes(layout, poll);
  std::vector<std::int32_t> cost(reasons.size());
  for (std::size_t i = 0; i < cost.size(); ++i) cost[i] = layout.n_conditions(reasons[i]);
  std::vector<std::vector<std::int32_t>> rows;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    Slots region = slots(leaves, i);
    rows.push_back(boxes.shrink(region, reasons));
    poll(reasons.size());
  }
  const auto step = [&] { poll(reasons.size()); };
  while (true) {
    std::vector<std::int32_t> chosen = best_choice(rows, cost, step);
    std::vector<const std::uint16_t*> cover;
    cover.reserve(chosen.size());
    for (const std::int32_t i : chosen) cover.push_back(reasons[static_cast<std::size_t>(i)]);
    bool complete = true;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      auto region = boxes.uncovered(slots(leaves, i), cover);
      if (!region) continue;
      complete = false;
      rows.push_back(boxes.shrink(*region, reasons));
      poll(reasons.size());
    }
    if (complete) return chosen;
  }
}

namespace {

/// Grows boxes and asks which classes they meet.
class Grower {
 public:
  Grower(const BoxLayout& layout, const LeafMasks& masks, std::size_t class_index)
      : layout_(layout), masks_(masks), wrong_(masks.not_class(class_index)) {}

  /// Whether no leaf of another class meets the box.
  [[nodiscard]] bool pure(const Slots& box) const {
    // A few words at a time: a box that is not pure shows it early.
    std::vector<std::uint64_t> met(wrong_, wrong_ + masks_.n_words());
    for (std::size_t first = 0; first < met.size(); first += words_at_once) {
      const std::size_t end = std::min(first + words_at_once, met.size());
      for (std::size_t f = 0; f < layout_.n_features(); ++f) {
        masks_.meet(f, box.data(), met.data(), first, end);
      }
      const auto here = met.begin() + static_cast<std::ptrdiff_t>(first);
      const auto there = met.begin() + static_cast<std::ptrdiff_t>(end);
      if (std::any_of(here, there, [](std::uint64_t word) { return word != 0; })) return false;
    }
    return true;
  }

  /// Grows a pure box to a maximal one, feature by feature. What is stuck stays stuck while other
  /// sides grow, so once through the features is enough.
  [[nodiscard]] Slots grow(Slots box) const {
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      const std::vector<std::uint64_t> others = wrong_leaves(box, f);
      const auto open = [&](std::size_t b) {
        const std::uint64_t* leaves = masks_.bin(f, b);
        for (std::size_t w = 0; w < others.size(); ++w) {
          if ((others[w] & leaves[w]) != 0) return false;
        }
        return true;
      };
      const std::size_t s = layout_.slot(f);
      const auto n_bins = static_cast<std::size_t>(layout_.feature(f).n_bins);
      if (!layout_.feature(f).ordered) {
        for (std::size_t b = 0; b < n_bins; ++b) {
          if (open(b)) box[s + b / 16] = static_cast<std::uint16_t>(box[s + b / 16] | 1U << b % 16);
        }
        continue;
      }
      if (box[s] > box[s + 1]) {  // NaN alone: start from the first bin that is open, if any
        for (std::size_t b = 0; b < n_bins; ++b) {
          if (!open(b)) continue;
          box[s] = box[s + 1] = static_cast<std::uint16_t>(b);
          break;
        }
      }
      if (box[s] <= box[s + 1]) {
        while (box[s] > 0 && open(box[s] - 1U)) --box[s];
        while (box[s + 1] + 1U < n_bins && open(box[s + 1] + 1U)) ++box[s + 1];
      }
      if (layout_.feature(f).nan && open(n_bins)) box[s + 2] = 1;
    }
    return box;
  }

  /// The smallest box around two.
  [[nodiscard]] Slots around(Slots a, const Slots& b) const {
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      const std::size_t s = layout_.slot(f);
      if (!layout_.feature(f).ordered) {
        for (std::size_t i = s; i < s + layout_.slots_of(f); ++i) a[i] |= b[i];
        continue;
      }
      if (a[s] > a[s + 1]) {
        a[s] = b[s];
        a[s + 1] = b[s + 1];
      } else if (b[s] <= b[s + 1]) {
        a[s] = std::min(a[s], b[s]);
        a[s + 1] = std::max(a[s + 1], b[s + 1]);
      }
      if (layout_.feature(f).nan) a[s + 2] |= b[s + 2];
    }
    return a;
  }

  /// One cell of a box: the first bin of every side.
  [[nodiscard]] Slots cell(Slots box) const {
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      const std::size_t s = layout_.slot(f);
      if (!layout_.feature(f).ordered) {
        bool found = false;
        for (std::size_t i = s; i < s + layout_.slots_of(f); ++i) {
          box[i] = found ? std::uint16_t{0} : static_cast<std::uint16_t>(box[i] & -box[i]);
          found = found || box[i] != 0;
        }
      } else if (box[s] <= box[s + 1]) {
        box[s + 1] = box[s];
        if (layout_.feature(f).nan) box[s + 2] = 0;
      }
    }
    return box;
  }

 private:
  /// Leaves of another class that the box meets, not looking at one feature.
  [[nodiscard]] std::vector<std::uint64_t> wrong_leaves(const Slots& box, std::size_t but) const {
    std::vector<std::uint64_t> met(wrong_, wrong_ + masks_.n_words());
    for (std::size_t f = 0; f < layout_.n_features(); ++f) {
      if (f != but) masks_.meet(f, box.data(), met.data(), 0, met.size());
    }
    return met;
  }

  const BoxLayout& layout_;
  const LeafMasks& masks_;
  const std::uint64_t* wrong_;
};

}  // namespace

FastCover irredundant_cover(const BoxLayout& layout, const LeafMasks& masks,
                            std::size_t class_index, const BoxList& leaves,
                            const PollFunction& poll) {
  Boxes boxes(layout, poll);
  const Grower grower(layout, masks, class_index);
  std::vector<Slots> cover;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    Slots grown = grower.grow(slots(leaves, i));
    if (std::find(cover.begin(), cover.end(), grown) == cover.end()) {
      cover.push_back(std::move(grown));
    }
    poll(cover.size());
  }
  // Boxes with many conditions are the first to go.
  std::stable_sort(cover.begin(), cover.end(), [&](const Slots& a, const Slots& b) {
    const auto n_a = layout.n_conditions(a.data());
    const auto n_b = layout.n_conditions(b.data());
    return n_a != n_b ? n_a > n_b : a > b;
  });
  for (std::size_t i = 0; i < cover.size();) {
    const std::vector<const std::uint16_t*> others = boxes.meeting(cover, i);
    if (boxes.uncovered(cover[i], others)) {
      ++i;
    } else {
      cover.erase(cover.begin() + static_cast<std::ptrdiff_t>(i));
    }
    poll(cover.size());
  }
  FastCover out;
  out.boxes.n_slots = layout.n_slots();
  std::reverse(cover.begin(), cover.end());
  std::vector<Slots> apart;  // cells of which no two fit into one reason
  for (std::size_t i = 0; i < cover.size(); ++i) {
    out.boxes.push(cover[i].data());
    const std::vector<const std::uint16_t*> others = boxes.meeting(cover, i);
    const auto region = boxes.uncovered(cover[i], others);
    const Slots own = grower.cell(region ? *region : cover[i]);
    const bool new_one = std::none_of(apart.begin(), apart.end(), [&](const Slots& cell) {
      return grower.pure(grower.around(cell, own));
    });
    if (new_one) apart.push_back(own);
    poll(cover.size());
  }
  out.bound = static_cast<std::int32_t>(apart.size());
  return out;
}

CoverFault cover_fault(const BoxLayout& layout, const LeafMasks& masks, std::size_t class_index,
                       const BoxList& leaves, const BoxList& cover, const PollFunction& poll) {
  Boxes boxes(layout, poll);
  const Grower grower(layout, masks, class_index);
  std::vector<const std::uint16_t*> chosen;
  for (std::size_t i = 0; i < cover.size(); ++i) {
    if (!grower.pure(slots(cover, i))) return CoverFault::mixed;
    chosen.push_back(cover[i]);
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (boxes.uncovered(slots(leaves, i), chosen)) return CoverFault::open;
  }
  return CoverFault::none;
}

}  // namespace orderless::reasons
