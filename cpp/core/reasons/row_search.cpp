#include "core/reasons/row_search.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
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

namespace {

constexpr std::size_t looked_at = 32;  // leaves among which the one with the fewest ways is taken

}  // namespace

const Part& RowSearch::side(const Place::State& state, std::size_t k) const {
  for (std::size_t i = 0; i < state.cut.size(); ++i) {
    if (state.cut[i] == k) return state.side[i];
  }
  return leaves_.full(k);
}

Part RowSearch::bin(std::size_t k, std::int32_t b, bool nan) const {
  if (leaves_.ordered(k)) return leaves_.interval(k, b, b, nan);
  Part out;
  out.bits.assign(leaves_.full(k).bits.size(), 0);
  set_bit(out.bits, at(b));
  return out;
}

RowSearch::Place RowSearch::begin(Must must) const {
  Place place;
  if (leaves_.possible().size() == 1) place.todo.push_back({{}, {}, std::move(must)});
  return place;
}

RowSearch::Sides RowSearch::any() {
  const std::size_t n = leaves_.n_words();
  const std::size_t n_features = leaves_.n_features();
  std::vector<Words> rest(n_features + 1, Words(n, 0));  // missed on those not widened yet
  for (std::size_t k = n_features; k-- > 0;) {
    for (std::size_t w = 0; w < n; ++w) rest[k][w] = rest[k + 1][w] | leaves_.missed_by(k)[w];
  }
  const Words all = first_bits(leaves_.n_others());
  Words so_far(n, 0), need(n), own(n);
  Sides found;
  for (std::size_t k = 0; k < n_features; ++k) {
    for (std::size_t w = 0; w < n; ++w) need[w] = all[w] & ~(so_far[w] | rest[k + 1][w]);
    found.push_back(widest(k, need));
    leaves_.misses(k, found[k], own.data());
    for (std::size_t w = 0; w < n; ++w) so_far[w] |= own[w];
  }
  return found;
}

/// The widest side around the row that misses some leaves, all of which the row misses here.
Part RowSearch::widest(std::size_t k, const Words& need) const {
  Part side = leaves_.full(k);
  const Part& row = leaves_.own(k);
  std::vector<std::pair<std::int32_t, std::int32_t>> taken;  // NaN alone: numbers to stay out of
  each_bit(need, [&](std::size_t leaf) {
    const Part away = leaves_.side_of(leaf, k);
    if (!leaves_.ordered(k)) {
      for (std::size_t w = 0; w < side.bits.size(); ++w) side.bits[w] &= ~away.bits[w];
      return;
    }
    side.nan = side.nan && !away.nan;
    if (away.first > away.last) return;
    if (!leaves_.some(k)) {
      taken.emplace_back(away.first, away.last);
    } else if (away.first > row.last) {
      side.last = std::min(side.last, away.first - 1);
    } else {
      side.first = std::max(side.first, away.last + 1);
    }
  });
  if (taken.empty()) return side;
  std::ranges::sort(taken);
  taken.emplace_back(leaves_.n_bins(k), leaves_.n_bins(k));
  Part gap = leaves_.interval(k, 1, 0, side.nan);  // the widest between them, the first of these
  std::int32_t from = 0;
  for (const auto& [first, last] : taken) {
    if (first - from > std::max(gap.last - gap.first + 1, 0)) {
      gap = leaves_.interval(k, from, first - 1, side.nan);
    }
    from = std::max(from, last + 1);
  }
  return gap;
}

std::optional<RowSearch::Sides> RowSearch::next(Place& place, const Goal* goal,
                                                const PollFunction& poll) {
  while (!place.todo.empty()) {
    const Place::State state = std::move(place.todo.back());
    place.todo.pop_back();
    leaves_.forget();
    if (!met(state) || (goal != nullptr && hopeless(state, *goal))) continue;
    if (no_bits(met_)) {
      Sides found;
      for (std::size_t k = 0; k < leaves_.n_features(); ++k) found.push_back(side(state, k));
      return found;
    }
    poll(n_looks_);
    std::vector<Way> chosen = fewest_ways(state);
    sort_ways(state, goal, chosen);
    push(place, state, chosen);
  }
  return std::nullopt;
}

/// The branches at a leaf are the ways to miss it: in each, one way is taken and all later ones are
/// ruled out, so no box comes twice.
void RowSearch::push(Place& place, const Place::State& state, const std::vector<Way>& ways) const {
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::size_t k = ways[i].k;
    Part left = leaves_.both(k, side(state, k), ways[i].keep);
    Place::State child{state.cut, state.side, state.must};
    for (std::size_t j = i + 1; j < ways.size(); ++j) {
      const std::size_t other = ways[j].k;  // what it keeps is ruled out: some of the rest is there
      Part rest = leaves_.full(other);
      if (!leaves_.ordered(other)) {
        for (std::size_t w = 0; w < rest.bits.size(); ++w) rest.bits[w] &= ~ways[j].keep.bits[w];
      } else {
        const Part& keep = ways[j].keep;
        const bool nan = rest.nan && !keep.nan;
        const bool low = keep.first > 0;  // an interval, so that only one end is cut off
        rest = keep.first > keep.last ? leaves_.interval(other, 0, rest.last, nan)
               : low                  ? leaves_.interval(other, 0, keep.first - 1, nan)
                                      : leaves_.interval(other, keep.last + 1, rest.last, nan);
      }
      child.must.emplace_back(other, std::move(rest));
    }
    const bool possible = std::ranges::all_of(child.must, [&](const auto& must) {
      return must.first != k || leaves_.meet(k, left, must.second);
    });
    if (!possible) continue;
    const auto place_of = std::ranges::find(child.cut, k);
    if (place_of == child.cut.end()) {
      child.cut.push_back(k);
      child.side.push_back(std::move(left));
    } else {
      child.side[static_cast<std::size_t>(place_of - child.cut.begin())] = std::move(left);
    }
    place.todo.push_back(std::move(child));
  }
}

/// Finds the leaves that a box still meets; false if no maximal box is inside.
bool RowSearch::met(const Place::State& state) {
  ++n_looks_;
  const std::size_t n = leaves_.n_words();
  missed_.resize(state.cut.size() * n);
  once_.assign(n, 0);
  twice_.assign(n, 0);
  for (std::size_t i = 0; i < state.cut.size(); ++i) {
    std::uint64_t* own = missed_.data() + i * n;
    leaves_.misses(state.cut[i], state.side[i], own);
    for (std::size_t w = 0; w < n; ++w) {
      twice_[w] |= once_[w] & own[w];
      once_[w] |= own[w];
    }
  }
  met_ = first_bits(leaves_.n_others());
  for (std::size_t w = 0; w < n; ++w) met_[w] &= ~once_[w];
  only_.resize(n);
  for (std::size_t i = 0; i < state.cut.size(); ++i) {
    const std::uint64_t* own = missed_.data() + i * n;
    for (std::size_t w = 0; w < n; ++w) only_[w] = (own[w] & ~twice_[w]) | met_[w];
    if (!zones_touched(state.cut[i], state.side[i], only_.data())) return false;
  }
  return true;
}

bool RowSearch::touched(std::size_t k, const Part& zone, const std::uint64_t* only) {
  some_.resize(leaves_.n_words());
  leaves_.misses(k, zone, some_.data());
  const std::uint64_t* all = leaves_.missed_by(k);
  for (std::size_t w = 0; w < some_.size(); ++w) {
    if ((only[w] & all[w] & ~some_[w]) != 0) return true;
  }
  return false;
}

/// Whether each of the parts beyond a side is touched by one of these leaves: that is what makes a
/// box maximal. A box that still shrinks may end anywhere between the row and the first bin beyond
/// its end, so that whole stretch is one part; when no leaf is met any more, only its last bin can
/// be touched, and the test is exact.
bool RowSearch::zones_touched(std::size_t k, const Part& side, const std::uint64_t* only) {
  const std::int32_t n = leaves_.n_bins(k);
  if (leaves_.nan(k) && !side.nan && !touched(k, leaves_.interval(k, 1, 0, true), only)) {
    return false;
  }
  const bool numbers = side.first <= side.last;
  if (!leaves_.ordered(k) || !numbers) {
    for (std::int32_t b = 0; b < n; ++b) {
      const bool inside = !leaves_.ordered(k) && has_bit(side.bits, at(b));
      if (!inside && !touched(k, bin(k, b), only)) return false;
    }
    return true;
  }
  const Part& row = leaves_.own(k);
  const std::int32_t row_first = leaves_.some(k) ? row.first : side.last;
  const std::int32_t row_last = leaves_.some(k) ? row.last : side.first;
  if (side.last < n - 1 &&
      !touched(k, leaves_.interval(k, row_last + 1, side.last + 1, false), only)) {
    return false;
  }
  return side.first == 0 ||
         touched(k, leaves_.interval(k, side.first - 1, row_first - 1, false), only);
}

/// The ways in which a box around the row can miss a leaf.
std::vector<RowSearch::Way> RowSearch::ways(std::size_t leaf) const {
  std::vector<Way> out;
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    if (!leaves_.misses_leaf(leaf, k)) continue;
    Part keep = leaves_.full(k);
    const Part away = leaves_.side_of(leaf, k);
    if (!leaves_.ordered(k)) {
      for (std::size_t w = 0; w < keep.bits.size(); ++w) keep.bits[w] &= ~away.bits[w];
      out.push_back({k, std::move(keep)});
      continue;
    }
    const std::int32_t end = leaves_.n_bins(k) - 1;
    if (leaves_.some(k)) {
      const bool nan = keep.nan && !away.nan;
      const bool none = away.first > away.last;
      keep = none             ? leaves_.interval(k, 0, end, nan)
             : away.first > 0 ? leaves_.interval(k, 0, away.first - 1, nan)
                              : leaves_.interval(k, away.last + 1, end, nan);
      out.push_back({k, std::move(keep)});
      continue;
    }
    // NaN alone: stay below the leaf, or above it.
    if (away.first > 0) out.push_back({k, leaves_.interval(k, 0, away.first - 1, true)});
    if (away.last < end) out.push_back({k, leaves_.interval(k, away.last + 1, end, true)});
    if (away.first == 0 && away.last == end) out.push_back({k, leaves_.interval(k, 1, 0, true)});
  }
  return out;
}

/// The ways to miss a leaf that leaves few choices.
std::vector<RowSearch::Way> RowSearch::fewest_ways(const Place::State& state) const {
  std::vector<Way> fewest;
  bool first = true;
  std::size_t looks = 0;
  for (std::size_t w = 0; w < met_.size(); ++w) {
    for (std::uint64_t bits = met_[w]; bits != 0; bits &= bits - 1) {
      std::vector<Way> own = ways(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      std::erase_if(own, [&](const Way& way) {
        const Part left = leaves_.both(way.k, side(state, way.k), way.keep);
        return std::ranges::any_of(state.must, [&](const auto& must) {
          return must.first == way.k && !leaves_.meet(way.k, left, must.second);
        });
      });
      if (first || own.size() < fewest.size()) fewest = std::move(own);
      first = false;
      if (fewest.size() < 2 || ++looks == looked_at) return fewest;
    }
  }
  return fewest;
}

/// Orders the ways: what comes last is tried first, and with nothing ruled out.
void RowSearch::sort_ways(const Place::State& state, const Goal* goal, std::vector<Way>& ways) {
  struct Promise {
    Wide cost;
    std::int32_t conditions;
    int missed;
    std::size_t at;
  };
  std::vector<Promise> promises;
  some_.resize(leaves_.n_words());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::size_t k = ways[i].k;
    const Part& old = side(state, k);
    const Part left = leaves_.both(k, old, ways[i].keep);
    leaves_.misses(k, left, some_.data());
    Promise promise{0, 0, 0, i};
    for (std::size_t w = 0; w < some_.size(); ++w)
      promise.missed += std::popcount(met_[w] & some_[w]);
    if (goal != nullptr) {
      promise.cost = old == leaves_.full(k) ? goal->costs[k] : Wide(0);
      promise.conditions = least(k, old) - least(k, left);
    }
    promises.push_back(promise);
  }
  std::ranges::stable_sort(promises, [](const Promise& a, const Promise& b) {
    if (a.cost != b.cost) return a.cost > b.cost;
    return std::tie(a.conditions, a.missed) < std::tie(b.conditions, b.missed);
  });
  std::vector<Way> sorted;
  sorted.reserve(promises.size());
  for (const Promise& promise : promises) sorted.push_back(std::move(ways[promise.at]));
  ways = std::move(sorted);
}

/// Branch and bound; leaves that have no way in common each need one of their own. Among equals the
/// first is found by asking again, feature by feature, for one that is wider.
RowSearch::Sides RowSearch::best(std::vector<Wide> costs, const PollFunction& poll) {
  const bool free = std::ranges::all_of(costs, [](const Wide& cost) { return cost == Wide(0); });
  Goal goal{std::move(costs), free};
  Sides found;
  Place place = begin();
  while (auto sides = next(place, &goal, poll)) {
    found = std::move(*sides);
    goal.below = value(found, goal.costs);
  }
  if (goal.below) ++goal.below->second;
  Must fixed;
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    for (const std::vector<Part>& outwards : directions(k)) {
      std::optional<Part> furthest;
      for (const Part& unit : outwards) {
        if (!leaves_.meet(k, found[k], unit)) {
          Must must = fixed;
          must.emplace_back(k, unit);
          Place again = begin(std::move(must));
          auto wider = next(again, &goal, poll);
          if (!wider) break;
          found = std::move(*wider);
        }
        furthest = unit;
      }
      if (furthest) fixed.emplace_back(k, *furthest);
    }
  }
  return found;
}

/// What a side can have beyond the row, as bins that follow each other outwards.
std::vector<std::vector<Part>> RowSearch::directions(std::size_t k) const {
  std::vector<std::vector<Part>> out;
  const Part& row = leaves_.own(k);
  const std::int32_t n = leaves_.n_bins(k);
  const Part missing = leaves_.interval(k, 1, 0, true);
  if (!leaves_.ordered(k) || !leaves_.some(k)) {
    for (std::int32_t b = 0; b < n; ++b) {
      if (!leaves_.meet(k, bin(k, b), row)) out.push_back({bin(k, b)});
    }
    if (leaves_.nan(k) && !row.nan) out.push_back({missing});
    return out;
  }
  out.resize(3);
  for (std::int32_t b = row.last + 1; b < n; ++b) out[0].push_back(bin(k, b));
  for (std::int32_t b = row.first - 1; b >= 0; --b) out[1].push_back(bin(k, b));
  if (leaves_.nan(k) && !row.nan) out[2].push_back(missing);
  return out;
}

std::vector<std::int32_t> RowSearch::rank(const Sides& sides) const {
  std::vector<std::int32_t> out{0};
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const Part& side = sides[k];
    const Part& row = leaves_.own(k);
    out[0] += conditions(k, side);
    if (leaves_.ordered(k) && leaves_.some(k)) {  // how many bins outwards, on either end
      out.push_back(row.last - side.last);
      out.push_back(side.first - row.first);
      out.push_back(side.nan && !row.nan ? -1 : 0);
      continue;
    }
    for (const std::vector<Part>& unit : directions(k)) {
      out.push_back(leaves_.meet(k, side, unit[0]) ? -1 : 0);
    }
  }
  return out;
}

std::vector<std::uint16_t> RowSearch::write(const Sides& sides) const {
  std::vector<std::uint16_t> box(leaves_.row().size());
  for (std::size_t k = 0; k < sides.size(); ++k) leaves_.write(k, sides[k], box.data());
  return box;
}

RowSearch::Value RowSearch::value(const Sides& sides, const std::vector<Wide>& costs) const {
  Value out{0, 0};
  for (std::size_t k = 0; k < sides.size(); ++k) {
    if (sides[k] == leaves_.full(k)) continue;
    out.first += costs[k];
    out.second += conditions(k, sides[k]);
  }
  return out;
}

/// As BoxLayout::n_conditions counts.
std::int32_t RowSearch::conditions(std::size_t k, const Part& side) const {
  if (side == leaves_.full(k)) return 0;
  if (!leaves_.ordered(k) || side.first > side.last) return 1;
  return std::max((side.first > 0 ? 1 : 0) + (side.last < leaves_.n_bins(k) - 1 ? 1 : 0), 1);
}

/// A bound on the conditions of every side inside this one.
std::int32_t RowSearch::least(std::size_t k, const Part& side) const {
  const std::int32_t n = conditions(k, side);
  return leaves_.some(k) ? n : std::min(n, 1);  // "is missing" is shorter than two bounds
}

/// Whether no box inside is worth less than the goal's bound.
bool RowSearch::hopeless(const Place::State& state, const Goal& goal) {
  if (!goal.below) return false;
  Value least_value{0, 0};
  const bool done = no_bits(met_);
  for (std::size_t i = 0; i < state.cut.size(); ++i) {
    const std::size_t k = state.cut[i];
    least_value.first += goal.costs[k];
    least_value.second += done ? conditions(k, state.side[i]) : least(k, state.side[i]);
  }
  if (!done && !goal.free && least_value.first <= goal.below->first) {
    apart(state, true, [&](std::size_t leaf) {
      std::optional<Wide> cheapest;
      for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
        if (!leaves_.misses_leaf(leaf, k)) continue;
        if (!cheapest || goal.costs[k] < *cheapest) cheapest = goal.costs[k];
      }
      if (cheapest) least_value.first += *cheapest;
    });
  }
  if (least_value.first == goal.below->first && least_value.second < goal.below->second) {
    apart(state, false, [&](std::size_t) { ++least_value.second; });
  }
  return least_value >= *goal.below;
}

/// Gives leaves that need new cuts, no two of them the same. `whole`: on new features; otherwise at
/// new ends.
template <class Use>
void RowSearch::apart(const Place::State& state, bool whole, Use&& use) {
  const std::size_t n = leaves_.n_words();
  Words open = met_;
  Words missed(n);
  const auto without = [&](std::size_t k, const Part& part) {  // those that have some of this
    leaves_.misses(k, part, missed.data());
    const std::uint64_t* all = leaves_.missed_by(k);
    for (std::size_t w = 0; w < n; ++w) open[w] &= ~(all[w] & ~missed[w]);
  };
  for (std::size_t i = 0; i < state.cut.size(); ++i) {
    const std::size_t k = state.cut[i];
    if (whole || one_end(k)) {
      without(k, leaves_.full(k));
      continue;
    }
    const Part& row = leaves_.own(k);
    const std::int32_t end = leaves_.n_bins(k) - 1;
    if (state.side[i].first > 0) without(k, leaves_.interval(k, 0, row.first - 1, false));
    if (state.side[i].last < end) without(k, leaves_.interval(k, row.last + 1, end, false));
  }
  Words near(n);
  for (std::size_t w = 0; w < n; ++w) {
    while (open[w] != 0) {
      const std::size_t leaf = w * 64 + static_cast<std::size_t>(std::countr_zero(open[w]));
      use(leaf);
      rivals(leaf, whole, near.data());
      for (std::size_t v = 0; v < n; ++v) open[v] &= ~near[v];
    }
  }
}

/// Whether a side is counted as one condition, or its ends cannot be counted one by one.
bool RowSearch::one_end(std::size_t k) const {
  return !leaves_.ordered(k) || leaves_.nan(k) || !leaves_.some(k);
}

/// The leaves that can be missed on a feature (or at an end) on which this one can.
void RowSearch::rivals(std::size_t leaf, bool whole, std::uint64_t* out) {
  const std::size_t n = leaves_.n_words();
  std::fill(out, out + n, 0);
  Words missed(n);
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    if (!leaves_.misses_leaf(leaf, k)) continue;
    Part part = leaves_.full(k);
    if (!whole && !one_end(k)) {
      const Part& row = leaves_.own(k);
      const bool above = leaves_.side_of(leaf, k).first > row.last;
      part = above ? leaves_.interval(k, row.last + 1, leaves_.n_bins(k) - 1, false)
                   : leaves_.interval(k, 0, row.first - 1, false);
    }
    leaves_.misses(k, part, missed.data());
    const std::uint64_t* all = leaves_.missed_by(k);
    for (std::size_t w = 0; w < n; ++w) out[w] |= all[w] & ~missed[w];
  }
}

// -- features --------------------------------------------------------------------------------

std::vector<std::int32_t> RowSearch::necessary() const {
  std::vector<std::int32_t> out;
  const std::size_t n = leaves_.n_words();
  Words once(n, 0), twice(n, 0);
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    const std::uint64_t* own = leaves_.missed_by(k);
    for (std::size_t w = 0; w < n; ++w) {
      twice[w] |= once[w] & own[w];
      once[w] |= own[w];
    }
  }
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    const std::uint64_t* own = leaves_.missed_by(k);
    bool alone_here = false;
    for (std::size_t w = 0; w < n; ++w) alone_here = alone_here || (own[w] & ~twice[w]) != 0;
    if (alone_here) out.push_back(static_cast<std::int32_t>(k));
  }
  return out;
}

std::vector<std::int32_t> RowSearch::relevant(const PollFunction& poll) {
  std::vector<std::int32_t> found = necessary();
  for (std::size_t k = 0; k < leaves_.n_features(); ++k) {
    const auto number = static_cast<std::int32_t>(k);
    if (std::ranges::find(found, number) != found.end()) continue;
    for (std::size_t leaf = 0; leaf < leaves_.n_others(); ++leaf) {
      if (!leaves_.misses_leaf(leaf, k) || !alone(k, leaf, poll)) continue;
      found.push_back(number);
      break;
    }
  }
  std::ranges::sort(found);
  return found;
}

/// Whether some reason misses a leaf on this feature and on no other.
bool RowSearch::alone(std::size_t k, std::size_t leaf, const PollFunction& poll) {
  const std::size_t n = leaves_.n_words();
  std::vector<std::size_t> away;
  Words missed(n, 0);
  for (std::size_t other = 0; other < leaves_.n_features(); ++other) {
    if (other != k && leaves_.misses_leaf(leaf, other)) {
      away.push_back(other);
      continue;
    }
    for (std::size_t w = 0; w < n; ++w) missed[w] |= leaves_.missed_by(other)[w];
  }
  std::vector<Words> rest(away.size() + 1, Words(n, 0));  // missed on those not widened yet
  for (std::size_t i = away.size(); i-- > 0;) {
    for (std::size_t w = 0; w < n; ++w) rest[i][w] = rest[i + 1][w] | leaves_.missed_by(away[i])[w];
  }
  const Words all = first_bits(leaves_.n_others());
  std::vector<std::pair<std::size_t, Words>> todo{{0, std::move(missed)}};
  Words own(n);
  while (!todo.empty()) {
    const auto [i, so_far] = std::move(todo.back());
    todo.pop_back();
    bool covers = true;
    for (std::size_t w = 0; w < n && covers; ++w) covers = (so_far[w] | rest[i][w]) == all[w];
    if (!covers) continue;
    if (i == away.size()) return true;
    poll(0);
    for (const Part& side : towards(away[i], leaf)) {
      leaves_.misses(away[i], side, own.data());
      Words more = so_far;
      for (std::size_t w = 0; w < n; ++w) more[w] |= own[w];
      todo.emplace_back(i + 1, std::move(more));
    }
  }
  return false;
}

/// The smallest sides around the row that meet a leaf.
std::vector<Part> RowSearch::towards(std::size_t k, std::size_t leaf) const {
  std::vector<Part> out;
  const Part& row = leaves_.own(k);
  const Part side = leaves_.side_of(leaf, k);
  if (!leaves_.ordered(k)) {
    each_bit(side.bits, [&](std::size_t b) {
      out.push_back(row);
      set_bit(out.back().bits, b);
    });
    return out;
  }
  if (!leaves_.some(k)) {
    for (std::int32_t b = side.first; b <= side.last; ++b) out.push_back(bin(k, b, row.nan));
    return out;
  }
  if (side.nan) out.push_back(leaves_.interval(k, row.first, row.last, true));
  if (side.first <= side.last) {
    const bool above = side.first > row.last;
    out.push_back(
        leaves_.interval(k, above ? row.first : side.last, above ? side.first : row.last, row.nan));
  }
  return out;
}

}  // namespace orderless::reasons
