#include "core/reasons/row_leaves.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/bins/leafmasks.hpp"

namespace orderless::reasons {

namespace {

constexpr std::uint64_t is_missed = std::uint64_t{1} << 60;

constexpr std::size_t most_words_kept = std::size_t{1} << 23;  // 64 MB

bool has_bin(const std::uint16_t* slots, std::size_t b) {
  return (slots[b / 16] >> (b % 16) & 1U) != 0;
}

}  // namespace

// -- the tree --------------------------------------------------------------------------------

RowTree::RowTree(const BinTree& tree, std::vector<BinFeature> features)
    : tree_(tree), layout_(std::move(features)), boxes_(leaf_boxes(tree, layout_)) {
  leaf_of_.assign(tree.feature.size(), 0);
  for (std::size_t node = 0; node < tree.feature.size(); ++node) {
    if (tree.feature[node] >= 0) continue;
    leaf_of_[node] = leaves_.size();
    leaves_.push_back(node);
  }
  for (std::size_t f = 0; f < layout_.n_features(); ++f) {
    if (!layout_.feature(f).ordered || layout_.feature(f).nan) sets_.push_back(f);
  }
}

RowTree::Ways RowTree::ways(std::size_t node, const std::uint16_t* box) const {
  const std::size_t f = at(tree_.feature[node]);
  const std::uint16_t* side = box + layout_.slot(f);
  if (layout_.feature(f).ordered) {
    const bool nan = layout_.feature(f).nan && side[2] != 0;
    const bool some = side[0] <= side[1];
    const bool nan_yes = tree_.nan_true[node] != 0;
    return {(some && side[0] <= tree_.cut[node]) || (nan && nan_yes),
            (some && side[1] > tree_.cut[node]) || (nan && !nan_yes)};
  }
  int inside = 0;
  for (auto i = tree_.set_start[node]; i < tree_.set_start[node + 1]; ++i) {
    inside += has_bin(side, at(tree_.set_bins[static_cast<std::size_t>(i)])) ? 1 : 0;
  }
  int all = 0;
  for (std::size_t i = 0; i < layout_.slots_of(f); ++i) all += std::popcount(side[i]);
  return {inside > 0, all > inside};
}

// -- parts -----------------------------------------------------------------------------------

Part RowLeaves::interval(std::size_t k, std::int32_t first, std::int32_t last, bool nan) const {
  if (first > last) return {n_bins(k), -1, nan, {}};
  return {first, last, nan, {}};
}

bool RowLeaves::meet(std::size_t k, const Part& a, const Part& b) const {
  if (!ordered(k)) return share_bits(a.bits, b.bits);
  return (a.nan && b.nan) || std::max(a.first, b.first) <= std::min(a.last, b.last);
}

Part RowLeaves::both(std::size_t k, const Part& a, const Part& b) const {
  if (ordered(k)) {
    return interval(k, std::max(a.first, b.first), std::min(a.last, b.last), a.nan && b.nan);
  }
  Part out = a;
  for (std::size_t w = 0; w < out.bits.size(); ++w) out.bits[w] &= b.bits[w];
  return out;
}

Part RowLeaves::part_of(std::size_t k, const std::uint16_t* box) const {
  const BoxLayout& layout = tree_.layout();
  const std::uint16_t* side = box + layout.slot(k);
  if (ordered(k)) return interval(k, side[0], side[1], nan(k) && side[2] != 0);
  Part out;
  out.bits.assign(words_for(at(n_bins(k))), 0);
  for (std::size_t b = 0; b < at(n_bins(k)); ++b) {
    if (has_bin(side, b)) set_bit(out.bits, b);
  }
  return out;
}

void RowLeaves::write(std::size_t k, const Part& part, std::uint16_t* box) const {
  const BoxLayout& layout = tree_.layout();
  std::uint16_t* side = box + layout.slot(k);
  if (ordered(k)) {
    const bool none = part.first > part.last;
    side[0] = static_cast<std::uint16_t>(none ? 1 : part.first);
    side[1] = static_cast<std::uint16_t>(none ? 0 : part.last);
    if (nan(k)) side[2] = part.nan ? 1 : 0;
    return;
  }
  for (std::size_t i = 0; i < layout.slots_of(k); ++i) {
    side[i] = static_cast<std::uint16_t>(part.bits[i / 4] >> (i % 4 * 16) & 0xFFFFU);
  }
}

// -- the row ---------------------------------------------------------------------------------

RowLeaves::RowLeaves(const RowTree& tree, std::vector<std::uint16_t> row)
    : tree_(tree), row_(std::move(row)) {
  const std::vector<std::uint16_t> whole = tree.layout().whole();
  const std::size_t n = tree.layout().n_features();
  for (std::size_t k = 0; k < n; ++k) {
    full_.push_back(part_of(k, whole.data()));
    own_.push_back(part_of(k, row_.data()));
    some_.push_back(!ordered(k) || own_[k].first <= own_[k].last);
  }
  tree.walk(row_.data(), [&](std::size_t leaf) {
    const std::int32_t label = tree.label(leaf);
    const auto place = std::ranges::lower_bound(possible_, label);
    if (place == possible_.end() || *place != label) possible_.insert(place, label);
    return true;
  });
}

std::vector<std::int32_t> RowLeaves::unsettled(const PollFunction& poll) const {
  std::vector<std::int32_t> out;
  if (possible_.size() < 2) return out;
  std::vector<std::size_t> met;
  tree_.walk(row_.data(), [&](std::size_t leaf) {
    met.push_back(leaf);
    return true;
  });
  Work work(poll);
  for (std::size_t k = 0; k < n_features(); ++k) {
    bool found = false;
    for (std::size_t i = 0; i < met.size() && !found; ++i) {
      // What the leaf and the row have in common, but anything that the row allows here.
      std::vector<std::uint16_t> box(tree_.box(met[i]), tree_.box(met[i]) + row_.size());
      for (std::size_t f = 0; f < n_features(); ++f) {
        if (f != k) tree_.layout().cut_down(f, box.data(), row_.data());
      }
      write(k, own_[k], box.data());
      tree_.walk(box.data(), [&](std::size_t leaf) {
        found = tree_.label(leaf) != tree_.label(met[i]);
        return !found;
      });
      work.add(n_features());
    }
    if (found) out.push_back(static_cast<std::int32_t>(k));
  }
  return out;
}

std::vector<std::uint8_t> RowLeaves::missed() const {
  std::vector<std::uint8_t> out(tree_.n_leaves() * n_features());
  for (std::size_t leaf = 0; leaf < tree_.n_leaves(); ++leaf) {
    for (std::size_t k = 0; k < n_features(); ++k) {
      out[leaf * n_features() + k] =
          tree_.layout().sides_meet(k, tree_.box(leaf), row_.data()) ? 0 : 1;
    }
  }
  return out;
}

/// Where a leaf is that the row misses on an ordered feature; none if it does not. What lies behind
/// the near end never matters.
std::optional<RowLeaves::Key> RowLeaves::key(std::size_t leaf, std::size_t k) const {
  const std::uint16_t* box = tree_.box(leaf);
  if (tree_.layout().sides_meet(k, box, row_.data())) return std::nullopt;
  const std::uint16_t* side = box + tree_.layout().slot(k);
  const bool with_nan = nan(k) && side[2] != 0;
  if (side[0] > side[1]) return Key{n_bins(k), -1, with_nan};
  Key out{side[0], side[1], with_nan};
  if (some_[k] && out.lo > own_[k].last) {
    out.hi = n_bins(k) - 1;
  } else if (some_[k]) {
    out.lo = 0;
  }
  return out;
}

void RowLeaves::prepare() {
  if (prepared_) return;
  prepared_ = true;
  Codes codes{{}, std::vector<std::size_t>(n_features() + 1, 0)};
  for (std::size_t k = 0; k < n_features(); ++k) {
    codes.start[k + 1] = codes.start[k] + (ordered(k) ? 1 : (tree_.layout().slots_of(k) + 2) / 3);
  }
  if (possible_.size() == 1) find_others(codes);
  n_words_ = words_for(n_others_);
  missed_.assign(n_features() * n_words_, 0);
  with_nan_.assign(n_features() * n_words_, 0);
  lo_.resize(n_features());
  hi_.resize(n_features());
  above_.resize(n_features());
  below_.resize(n_features());
  has_.resize(n_features());
  for (std::size_t k = 0; k < n_features(); ++k) find_missed(k, codes);
}

/// Writes where a leaf is missed, so that leaves which are missed alike are equal: 0 where one is
/// not missed. Gives on how many features it is.
std::uint32_t RowLeaves::write_codes(std::size_t leaf, const Codes& codes,
                                     std::uint64_t* out) const {
  const BoxLayout& layout = tree_.layout();
  std::uint32_t count = 0;
  for (std::size_t k = 0; k < n_features(); ++k) {
    std::uint64_t* code = out + codes.start[k];
    if (ordered(k)) {
      const std::optional<Key> own = key(leaf, k);
      if (!own) continue;
      const bool none = own->lo > own->hi;
      *code = is_missed | static_cast<std::uint64_t>(none ? 1 : own->lo) << 32 |
              static_cast<std::uint64_t>(none ? 0 : own->hi) << 1 | (own->nan ? 1U : 0U);
    } else {
      if (layout.sides_meet(k, tree_.box(leaf), row_.data())) continue;
      const std::uint16_t* side = tree_.box(leaf) + layout.slot(k);
      for (std::size_t s = 0; s < layout.slots_of(k); ++s) {
        code[s / 3] |= is_missed | std::uint64_t{side[s]} << (32 - s % 3 * 16);
      }
    }
    ++count;
  }
  return count;
}

/// Finds the leaves of other classes, each way to be missed once.
void RowLeaves::find_others(Codes& codes) {
  const std::size_t width = codes.start.back();
  std::vector<std::size_t> others;
  for (std::size_t leaf = 0; leaf < tree_.n_leaves(); ++leaf) {
    if (tree_.label(leaf) != possible_[0]) others.push_back(leaf);
  }
  std::vector<std::uint64_t> all(others.size() * width, 0);
  std::vector<std::uint32_t> count(others.size(), 0);
  for (std::size_t i = 0; i < others.size(); ++i) {
    count[i] = write_codes(others[i], codes, all.data() + i * width);
  }
  std::vector<std::size_t> order(others.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto line = [&](std::size_t i) { return std::span(all).subspan(i * width, width); };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (count[a] != count[b]) return count[a] < count[b];
    const auto order_of = std::lexicographical_compare_three_way(line(a).begin(), line(a).end(),
                                                                 line(b).begin(), line(b).end());
    return order_of != 0 ? order_of < 0 : a < b;
  });
  codes.flat.reserve(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && std::ranges::equal(line(order[i]), line(order[i - 1]))) continue;
    source_.push_back(others[order[i]]);
    codes.flat.insert(codes.flat.end(), line(order[i]).begin(), line(order[i]).end());
  }
  n_others_ = source_.size();
}

/// Notes which of them the row misses on a feature, and where they are.
void RowLeaves::find_missed(std::size_t k, const Codes& codes) {
  if (ordered(k)) {
    lo_[k].assign(n_others_, 0);
    hi_[k].assign(n_others_, 0);
    above_[k].resize(at(n_bins(k)) + 1);
    below_[k].resize(at(n_bins(k)) + 1);
  } else {
    has_[k].assign(at(n_bins(k)) * n_words_, 0);
  }
  for (std::size_t i = 0; i < n_others_; ++i) {
    const std::uint64_t code = codes.flat[i * codes.start.back() + codes.start[k]];
    if (code == 0) continue;
    set_bit(missed_.data() + k * n_words_, i);
    if (ordered(k)) {
      const auto lo = static_cast<std::int32_t>(code >> 32 & 0xFFFFU);
      const auto hi = static_cast<std::int32_t>(code >> 1 & 0xFFFFU);
      lo_[k][i] = lo <= hi ? lo : n_bins(k);
      hi_[k][i] = lo <= hi ? hi : -1;
      if ((code & 1U) != 0) set_bit(with_nan_.data() + k * n_words_, i);
      continue;
    }
    const std::uint16_t* side = tree_.box(source_[i]) + tree_.layout().slot(k);
    for (std::size_t b = 0; b < at(n_bins(k)); ++b) {
      if (has_bin(side, b)) set_bit(has_[k].data() + b * n_words_, i);
    }
  }
}

/// The leaves that are missed and whose numbers all lie above an end, or all below it.
const Words& RowLeaves::table(std::vector<Words>& rows, std::size_t k, std::int32_t end,
                              bool below) {
  Words& row = rows[at(end)];
  if (!row.empty()) return row;
  row.assign(n_words_, 0);
  kept_ += n_words_;
  const std::vector<std::int32_t>& lo = lo_[k];
  const std::vector<std::int32_t>& hi = hi_[k];
  for (std::size_t w = 0; w < n_words_; ++w) {
    const std::size_t n = std::min(n_others_ - w * 64, std::size_t{64});
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool out = below ? hi[w * 64 + i] < end : lo[w * 64 + i] >= end;
      word |= std::uint64_t{out ? 1U : 0U} << i;
    }
    row[w] = word;
  }
  return row;
}

void RowLeaves::forget() {
  if (kept_ < most_words_kept) return;
  for (std::vector<std::vector<Words>>* tables : {&above_, &below_}) {
    for (std::vector<Words>& rows : *tables) {
      for (Words& row : rows) row = Words();
    }
  }
  kept_ = 0;
}

void RowLeaves::misses(std::size_t k, const Part& part, std::uint64_t* out) {
  const std::uint64_t* all = missed_by(k);
  if (n_words_ == 0) return;
  if (!ordered(k)) {
    std::copy(all, all + n_words_, out);
    each_bit(part.bits, [&](std::size_t b) {
      const std::uint64_t* own = has_[k].data() + b * n_words_;
      for (std::size_t w = 0; w < n_words_; ++w) out[w] &= ~own[w];
    });
    return;
  }
  const Words& above = table(above_[k], k, part.last + 1, false);
  const Words& below = table(below_[k], k, part.first, true);
  const std::uint64_t* with_nan = with_nan_.data() + k * n_words_;
  const std::uint64_t free = part.nan ? ~std::uint64_t{0} : 0;
  for (std::size_t w = 0; w < n_words_; ++w) {
    out[w] = all[w] & (above[w] | below[w]) & ~(with_nan[w] & free);
  }
}

Part RowLeaves::side_of(std::size_t leaf, std::size_t k) const {
  Part out = part_of(k, tree_.box(source_[leaf]));
  if (!ordered(k)) return out;
  return interval(k, lo_[k][leaf], hi_[k][leaf], out.nan);
}

}  // namespace orderless::reasons
