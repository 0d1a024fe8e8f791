#include "core/smallest/apart.hpp"

#include <algorithm>
#include <bit>

namespace orderless::smallest {

namespace {

std::int32_t first_of(const Residuals::Mask& mask) {
  for (std::size_t w = 0; w < mask.size(); ++w) {
    if (mask[w] != 0) return static_cast<std::int32_t>(w * 64) + std::countr_zero(mask[w]);
  }
  return -1;
}

}  // namespace

bool Apart::reaches(const Residuals::Node& node, std::int32_t bin, bool yes) const {
  const BinFeature& feature = residuals_.features()[at(node.feature)];
  if (!feature.ordered) return has_bit(residuals_.mask(yes ? node.a : node.b), at(bin));
  const bool holds = bin == feature.n_bins ? node.b == 1 : bin <= node.a;
  return holds == yes;
}

bool Apart::goes(const Residuals::Node& node, bool yes) const {
  if (node.feature == free_) return true;
  const std::int32_t lo = lo_[at(node.feature)];
  const std::int32_t hi = hi_[at(node.feature)];
  return reaches(node, lo, yes) || (hi != lo && reaches(node, hi, yes));
}

// Residuals have live branches only, so the cells need not be cut down on the way.
bool Apart::impure(Id id, std::int32_t label) const {
  const Residuals::Node& node = residuals_.node(id);
  if (node.feature < 0) return node.a != label;
  return (goes(node, true) && impure(node.yes, label)) ||
         (goes(node, false) && impure(node.no, label));
}

std::int32_t Apart::label_of(Id id, std::span<const std::int32_t> cell) const {
  while (!residuals_.is_leaf(id)) {
    const Residuals::Node& node = residuals_.node(id);
    id = reaches(node, cell[at(node.feature)], true) ? node.yes : node.no;
  }
  return residuals_.node(id).a;
}

bool Apart::apart(Id id, const Corner& a, const Corner& b) {
  if (a.label != b.label) return true;
  for (std::size_t f = 0; f < a.cell.size(); ++f) {
    const BinFeature& feature = residuals_.features()[f];
    const bool ordered = feature.ordered;
    if (ordered && (a.cell[f] == feature.n_bins) != (b.cell[f] == feature.n_bins)) return false;
    lo_[f] = std::min(a.cell[f], b.cell[f]);
    hi_[f] = std::max(a.cell[f], b.cell[f]);
  }
  return impure(id, a.label);
}

std::int32_t Apart::questions(Id id, std::span<const std::int32_t> cell) {
  const std::int32_t label = label_of(id, cell);
  lo_.assign(cell.begin(), cell.end());
  hi_ = lo_;
  std::int32_t n = 0;
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(cell.size()); ++f) {
    if (!residuals_.has(id, f)) continue;
    const BinFeature& feature = residuals_.features()[at(f)];
    const std::int32_t bin = cell[at(f)];
    if (!feature.ordered) {
      free_ = f;
      n += impure(id, label);
      free_ = -1;
      continue;
    }
    const auto differs = [&](std::int32_t lo, std::int32_t hi) {
      if (lo > hi) return false;
      lo_[at(f)] = lo;
      hi_[at(f)] = hi;
      const bool found = impure(id, label);
      lo_[at(f)] = hi_[at(f)] = bin;
      return found;
    };
    if (bin == feature.n_bins) {
      n += differs(0, feature.n_bins - 1);
    } else {
      n += differs(0, bin - 1);
      n += differs(bin + 1, feature.n_bins - 1);
    }
  }
  return n;
}

void Apart::corners(Id id, bool low_first) {
  struct Side {
    std::int32_t lo, hi;  // unordered: lo = hi, one of the bins
  };
  corners_.clear();
  std::vector<Side> box(residuals_.features().size());
  for (std::size_t f = 0; f < box.size(); ++f) {
    const BinFeature& feature = residuals_.features()[f];
    box[f] = {0, feature.ordered ? feature.n_bins - 1 : 0};
  }
  for (const Residuals::Live& live : residuals_.live(id)) {
    if (residuals_.features()[at(live.feature)].ordered) continue;
    box[at(live.feature)].lo = box[at(live.feature)].hi = first_of(residuals_.mask(live.side));
  }
  const auto visit = [&](const auto& self, Id here) -> void {
    const Residuals::Node node = residuals_.node(here);
    if (node.feature < 0) {
      Corner corner{Cell(box.size()), node.a};
      for (std::size_t f = 0; f < box.size(); ++f) corner.cell[f] = box[f].lo;
      for (std::size_t f = 0; f < box.size(); ++f) {
        if (box[f].lo == box[f].hi) continue;
        const std::int32_t ends[] = {box[f].lo, box[f].hi};
        const std::int32_t beyond[] = {box[f].lo - 1, box[f].hi + 1};
        const int first = low_first ? 0 : 1;
        corner.cell[f] = ends[first];
        for (const int end : {first, 1 - first}) {
          if (beyond[end] < 0 || beyond[end] >= residuals_.features()[f].n_bins) continue;
          Cell other = corner.cell;
          other[f] = beyond[end];
          if (label_of(id, other) == node.a) continue;
          corner.cell[f] = ends[end];
          break;
        }
      }
      corners_.push_back(std::move(corner));
      return;
    }
    Side& side = box[at(node.feature)];
    const Side saved = side;
    const BinFeature& feature = residuals_.features()[at(node.feature)];
    if (!feature.ordered) {
      side.lo = side.hi = first_of(residuals_.mask(node.a));
      self(self, node.yes);
      box[at(node.feature)].lo = box[at(node.feature)].hi = first_of(residuals_.mask(node.b));
      self(self, node.no);
    } else {
      side.hi = std::min(side.hi, node.a);
      self(self, node.yes);
      box[at(node.feature)] = saved;
      box[at(node.feature)].lo = node.a + 1;
      if (node.a == feature.n_bins - 1) box[at(node.feature)].hi = node.a + 1;  // NaN alone
      self(self, node.no);
    }
    box[at(node.feature)] = saved;
  };
  visit(visit, id);
}

Apart::Bounds Apart::bounds(Id id) {
  Bounds out;
  lo_.assign(residuals_.features().size(), 0);
  hi_ = lo_;
  for (const bool low_first : {true, false}) {
    corners(id, low_first);
    std::vector<const Corner*> chosen;
    for (const Corner& corner : corners_) {
      const bool fits = std::all_of(chosen.begin(), chosen.end(),
                                    [&](const Corner* other) { return apart(id, corner, *other); });
      if (fits) chosen.push_back(&corner);
    }
    out.leaves = std::max(out.leaves, static_cast<std::int64_t>(chosen.size()));
    for (const Corner& corner : corners_) {
      out.depth = std::max(out.depth, questions(id, corner.cell));
    }
  }
  return out;
}

}  // namespace orderless::smallest
