#include "core/reasons/maximal.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/errors.hpp"
#include "core/bins/bins.hpp"
#include "core/bins/leafmasks.hpp"

namespace orderless::reasons {

/// Boxes in their fixed order: fewest conditions first, then slot by slot.
[[nodiscard]] inline BoxList sorted(BoxList list, const BoxLayout& layout) {
  if (list.size() < 2) return list;
  std::vector<std::pair<std::int32_t, std::size_t>> order(list.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = {layout.n_conditions(list[i]), i};
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return std::lexicographical_compare(list[a.second], list[a.second] + list.n_slots,
                                        list[b.second], list[b.second] + list.n_slots);
  });
  BoxList out;
  out.n_slots = list.n_slots;
  out.slots.reserve(list.slots.size());
  for (const auto& [_, i] : order) out.push(list[i]);
  return out;
}

/// Which boxes of a list, from some position on, are there already. Open addressing over their
/// positions, so that a box is written down once; a few boxes are just compared.
class Known {
 public:
  Known(const BoxList& list, std::size_t first) : list_(list), first_(first) {}

  /// Whether the box is not in the list yet; if so, the next box of the list has to be this one.
  bool is_new(const std::uint16_t* box) {
    const std::size_t n = list_.size() - first_;
    if (n < few) {
      for (std::size_t i = 0; i < n; ++i) {
        if (std::equal(box, box + list_.n_slots, list_[first_ + i])) return false;
      }
      return true;
    }
    if (table_.empty()) {
      for (std::size_t i = 0; i < n; ++i) hashes_.push_back(hash_of(list_[first_ + i]));
    }
    if (2 * (hashes_.size() + 1) > table_.size()) grow();
    const std::uint64_t hash = hash_of(box);
    std::size_t at = hash & (table_.size() - 1);
    for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
      const std::size_t i = table_[at] - 1;
      if (hashes_[i] == hash && std::equal(box, box + list_.n_slots, list_[first_ + i])) {
        return false;
      }
    }
    hashes_.push_back(hash);
    table_[at] = hashes_.size();
    return true;
  }

 private:
  static constexpr std::size_t few = 16;

  [[nodiscard]] std::uint64_t hash_of(const std::uint16_t* box) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < list_.n_slots; i += 4) {
      std::uint64_t part = 0;
      std::memcpy(&part, box + i, std::min<std::size_t>(4, list_.n_slots - i) * sizeof(*box));
      hash = (std::rotl(hash, 23) ^ part) * 0x9E3779B97F4A7C15U;
    }
    return hash ^ hash >> 32;
  }

  void grow() {
    table_.assign(std::max<std::size_t>(4 * few, 4 * table_.size()), 0);
    for (std::size_t i = 0; i < hashes_.size(); ++i) {
      std::size_t at = hashes_[i] & (table_.size() - 1);
      while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
      table_[at] = i + 1;
    }
  }

  const BoxList& list_;
  std::size_t first_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::size_t> table_;  // position after first_, plus 1; 0: free
};

namespace {

constexpr std::size_t most_kept = 4096;  // slots of a list that is used again

/// Joins and tests the boxes of one tree.
class Merger {
 public:
  Merger(const BinTree& tree, const BoxLayout& layout, std::int32_t n_classes, std::size_t limit,
         const PollFunction& poll, std::span<const std::uint8_t> wanted)
      : tree_(tree),
        layout_(layout),
        masks_(tree, layout, n_classes),
        n_classes_(static_cast<std::size_t>(n_classes)),
        limit_(limit),
        poll_(poll),
        wanted_(wanted) {
    const std::size_t n = masks_.n_words();
    join_.resize(layout.n_slots());
    limited_.reserve(layout.n_features() + 1);
    words_.resize((layout.n_features() + 3) * n);
    wrong_ = {words_.data(), n};
    others_ = {words_.data() + n, n};
    once_ = {words_.data() + 2 * n, n};
    meets_ = {words_.data() + 3 * n, layout.n_features() * n};
  }

  std::vector<BoxList> run() {
    // Without recursion: a node is looked at a second time when its children are done. Theirs are
    // then the last two of the stack of lists.
    std::vector<std::pair<std::size_t, bool>> todo{{0, false}};
    while (!todo.empty()) {
      const auto [node, ready] = todo.back();
      todo.pop_back();
      if (tree_.feature[node] < 0) {
        const auto c = static_cast<std::size_t>(tree_.leaf_class[node]);
        BoxList* own = push();
        if (wanted_.empty() || wanted_[c] != 0) own[c].push(masks_.region(node));
        continue;
      }
      const auto yes = static_cast<std::size_t>(tree_.when_true[node]);
      const auto no = static_cast<std::size_t>(tree_.when_false[node]);
      if (!ready) {
        todo.emplace_back(node, true);
        todo.emplace_back(no, false);
        todo.emplace_back(yes, false);
        continue;
      }
      merge(node, yes, no);
    }
    lists_.resize(n_classes_);
    return std::move(lists_);
  }

 private:
  void look_at(std::size_t node) {
    node_ = node;
    feature_ = static_cast<std::size_t>(tree_.feature[node]);
    first_word_ = masks_.first_leaf(node) / 64;
    end_word_ = (masks_.end_leaf(node) + 63) / 64;
  }

  /// The leaves below the node whose class is another. (Features that are not asked below the node
  /// are left out of the tests, so leaves elsewhere would seem to meet.)
  void look_for_other_than(std::size_t c) {
    const std::uint64_t* other = masks_.not_class(c);
    for (std::size_t w = first_word_; w < end_word_; ++w) {
      std::uint64_t here = ~std::uint64_t{0};
      if (w == first_word_) here &= ~std::uint64_t{0} << (masks_.first_leaf(node_) % 64);
      if (w + 1 == end_word_ && masks_.end_leaf(node_) % 64 != 0) {
        here &= (std::uint64_t{1} << (masks_.end_leaf(node_) % 64)) - 1;
      }
      wrong_[w] = other[w] & here;
    }
  }

  /// Puts empty lists on the stack, one per class.
  BoxList* push() {
    const std::size_t first = n_classes_ * on_stack_++;
    if (lists_.size() < first + n_classes_) {
      lists_.resize(first + n_classes_);
      for (std::size_t c = 0; c < n_classes_; ++c) lists_[first + c].n_slots = layout_.n_slots();
    }
    return lists_.data() + first;
  }

  /// Puts the lists of a node in the place of those of its children.
  void merge(std::size_t node, std::size_t yes, std::size_t no) {
    look_at(node);
    BoxList* const merged = push();
    for (std::size_t c = 0; c < n_classes_; ++c) {
      BoxList& out = merged[c];
      BoxList& above = *(&out - n_classes_);
      BoxList& below = *(&above - n_classes_);
      if (below.size() + above.size() == 0) continue;
      look_for_other_than(c);
      limit(below, low_);
      limit(above, high_);
      keep_stuck(low_, masks_.region(no), out);
      keep_stuck(high_, masks_.region(yes), out);
      join_pairs(out);
      met_ = std::max(met_, out.size());
      std::swap(below, out);
      for (BoxList* used : {&above, &out}) {
        used->clear();
        if (used->slots.capacity() > most_kept) used->slots.shrink_to_fit();
      }
    }
    on_stack_ -= 2;
  }

  /// A box and the active features, but the node's, on which it is smaller than the region, by
  /// their place mod 64. On the others it meets every leaf below the node, and cannot grow.
  struct Limited {
    const std::uint16_t* box;
    std::uint64_t limits;
  };

  void limit(const BoxList& list, std::vector<Limited>& out) const {
    out.clear();
    out.reserve(list.size());
    const std::uint16_t* region = masks_.region(node_);
    const std::span<const std::uint32_t> active = masks_.active(node_);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::uint16_t* box = list[i];
      std::uint64_t limits = 0;
      for (std::size_t k = 0; k < active.size(); ++k) {
        const std::size_t f = active[k];
        if (f == feature_) continue;
        const std::size_t s = layout_.slot(f);
        const bool smaller = !std::equal(box + s, box + layout_.slot(f + 1), region + s);
        limits |= static_cast<std::uint64_t>(smaller) << (k % 64);
      }
      out.push_back({box, limits});
    }
  }

  /// Calls on_feature with the features of some limits, never with the node's.
  template <class OnFeature>
  void each(std::uint64_t limits, OnFeature&& on_feature) const {
    const std::span<const std::uint32_t> active = masks_.active(node_);
    for (; limits != 0; limits &= limits - 1) {
      for (auto k = static_cast<std::size_t>(std::countr_zero(limits)); k < active.size();
           k += 64) {
        if (active[k] != feature_) on_feature(std::size_t{active[k]});
      }
    }
  }

  /// Keeps the boxes of one side that cannot grow into the region of the other.
  void keep_stuck(const std::vector<Limited>& list, const std::uint16_t* there, BoxList& out) {
    const std::size_t s = layout_.slot(feature_);
    const BinFeature& feature = layout_.feature(feature_);
    const std::span<std::uint64_t> others = others_;
    for (const auto& [box, limits] : list) {
      std::copy(wrong_.begin(), wrong_.end(), others.begin());
      each(limits, [&, box = box](std::size_t f) {
        masks_.meet(f, box, others.data(), first_word_, end_word_);
      });
      const auto blocked = [&](std::size_t b) {
        const std::uint64_t* leaves = masks_.bin(feature_, b);
        for (std::size_t w = first_word_; w < end_word_; ++w) {
          if ((others[w] & leaves[w]) != 0) return true;
        }
        return false;
      };
      bool stuck = true;
      if (feature.ordered) {
        const bool some_here = box[s] <= box[s + 1];
        const bool some_there = there[s] <= there[s + 1];
        if (some_there && some_here) {
          if (box[s + 1] + 1 == there[s]) stuck = blocked(there[s]);
          if (stuck && there[s + 1] + 1 == box[s]) stuck = blocked(there[s + 1]);
        } else if (some_there) {  // NaN alone can grow by any bin
          for (std::size_t b = there[s]; stuck && b <= there[s + 1]; ++b) stuck = blocked(b);
        }
        if (stuck && feature.nan && there[s + 2] != 0) {
          stuck = blocked(static_cast<std::size_t>(feature.n_bins));
        }
      } else {
        for (std::size_t b = 0; stuck && b < static_cast<std::size_t>(feature.n_bins); ++b) {
          if ((there[s + b / 16] >> (b % 16) & 1U) != 0) stuck = blocked(b);
        }
      }
      if (stuck) add(box, out);
      tick();
    }
  }

  /// Joins the boxes of low_ and high_ that touch; both are cut down to these.
  void join_pairs(BoxList& out) {
    const std::size_t s = layout_.slot(feature_);
    const BinFeature& feature = layout_.feature(feature_);
    const auto cut = static_cast<std::int32_t>(tree_.cut[node_]);
    if (feature.ordered && !feature.nan) {  // NaN: decided pair by pair
      std::erase_if(low_, [&](const Limited& one) { return one.box[s + 1] != cut; });
      std::erase_if(high_, [&](const Limited& one) { return one.box[s] != cut + 1; });
    }
    Known known(out, out.size());
    for (const Limited& low : low_) {
      tick();
      for (const Limited& high : high_) {
        if (!meet_elsewhere(low, high)) continue;
        intersect(low, high);
        if (!feature.ordered) {
          for (std::size_t i = 0; i < layout_.slots_of(feature_); ++i) {
            join_[s + i] = static_cast<std::uint16_t>(low.box[s + i] | high.box[s + i]);
          }
          offer(known, out);
        } else if (!feature.nan) {
          join_[s] = low.box[s];
          join_[s + 1] = high.box[s + 1];
          offer(known, out);
        } else {
          join_with_nan(low.box + s, high.box + s, known, out);
        }
      }
      tick(high_.size() / 16);
    }
  }

  /// The three ways in which sides with NaN can be joined into an interval with or without NaN.
  void join_with_nan(const std::uint16_t* low, const std::uint16_t* high, Known& known,
                     BoxList& out) {
    const std::size_t s = layout_.slot(feature_);
    const bool some_low = low[0] <= low[1];
    const bool some_high = high[0] <= high[1];
    const auto put = [&](std::uint16_t first, std::uint16_t last, bool nan) {
      join_[s] = first;
      join_[s + 1] = last;
      join_[s + 2] = nan ? 1 : 0;
      offer(known, out);
    };
    if (some_low && some_high && low[1] + 1 == high[0]) {
      put(low[0], high[1], low[2] != 0 || high[2] != 0);
    }
    if (some_low && low[2] == 0 && high[2] != 0) put(low[0], low[1], true);
    if (some_high && high[2] == 0 && low[2] != 0) put(high[0], high[1], true);
  }

  /// Whether two boxes meet on all features but the node's.
  [[nodiscard]] bool meet_elsewhere(const Limited& a, const Limited& b) const {
    const std::span<const std::uint32_t> active = masks_.active(node_);
    for (std::uint64_t both = a.limits & b.limits; both != 0; both &= both - 1) {
      for (auto k = static_cast<std::size_t>(std::countr_zero(both)); k < active.size(); k += 64) {
        const std::size_t f = active[k];
        if (f != feature_ && !layout_.sides_meet(f, a.box, b.box)) return false;
      }
    }
    return true;
  }

  /// join_ = a and b, on all features but the node's (which still has a's side).
  void intersect(const Limited& a, const Limited& b) {
    std::copy(a.box, a.box + layout_.n_slots(), join_.begin());
    limited_.clear();
    limited_.push_back(feature_);
    each(a.limits | b.limits, [&](std::size_t f) {
      limited_.push_back(f);
      layout_.cut_down(f, join_.data(), b.box);
    });
  }

  /// Takes join_ if it is new and cannot grow.
  void offer(Known& known, BoxList& out) {
    if (maximal() && known.is_new(join_.data())) add(join_.data(), out);
  }

  /// Whether growing join_ by one bin, anywhere inside the node's region, meets another class.
  ///
  /// The class is certain in join_, so a leaf of another class that meets the grown box misses
  /// join_ on the grown feature, and on no other: it is enough to know the leaves that miss once.
  bool maximal() {
    const std::size_t n_words = masks_.n_words();
    std::uint64_t* meets = meets_.data();
    for (const std::size_t f : limited_) {
      std::fill(meets + first_word_, meets + end_word_, ~std::uint64_t{0});
      masks_.meet(f, join_.data(), meets, first_word_, end_word_);
      meets += n_words;
    }
    for (std::size_t w = first_word_; w < end_word_; ++w) {
      std::uint64_t never = wrong_[w];
      std::uint64_t once = 0;
      for (std::size_t k = 0; k < limited_.size(); ++k) {
        const std::uint64_t meet = meets_[k * n_words + w];
        once = (once & meet) | (never & ~meet);
        never &= meet;
      }
      once_[w] = once;
    }
    meets = meets_.data();
    for (const std::size_t f : limited_) {
      if (can_grow(f, meets)) return false;
      meets += n_words;
    }
    return true;
  }

  /// Whether some bin next to join_'s side of f, in the region, is in no leaf of another class that
  /// misses join_ on f alone.
  bool can_grow(std::size_t f, const std::uint64_t* meets) const {
    const std::uint16_t* region = masks_.region(node_);
    const std::size_t s = layout_.slot(f);
    const BinFeature& feature = layout_.feature(f);
    const auto open = [&](std::size_t b) {
      const std::uint64_t* leaves = masks_.bin(f, b);
      for (std::size_t w = first_word_; w < end_word_; ++w) {
        if ((once_[w] & ~meets[w] & leaves[w]) != 0) return false;
      }
      return true;
    };
    if (!feature.ordered) {
      for (std::size_t b = 0; b < static_cast<std::size_t>(feature.n_bins); ++b) {
        const std::size_t i = s + b / 16;
        if (((region[i] & ~join_[i]) >> (b % 16) & 1U) != 0 && open(b)) return true;
      }
      return false;
    }
    if (feature.nan && region[s + 2] != 0 && join_[s + 2] == 0 &&
        open(static_cast<std::size_t>(feature.n_bins))) {
      return true;
    }
    if (join_[s] > join_[s + 1]) {  // NaN alone: any bin of the region is next to it
      for (std::size_t b = region[s]; region[s] <= region[s + 1] && b <= region[s + 1]; ++b) {
        if (open(b)) return true;
      }
      return false;
    }
    if (join_[s] > region[s] && open(join_[s] - 1U)) return true;
    return join_[s + 1] < region[s + 1] && open(join_[s + 1] + 1U);
  }

  void add(const std::uint16_t* box, BoxList& out) {
    out.push(box);
    if (out.size() > limit_) throw TooMany(out.size());
  }

  void tick(std::size_t steps = 1) {
    steps_ += steps + 1;
    if (steps_ < 4096) return;
    steps_ = 0;
    poll_(met_);
  }

  const BinTree& tree_;
  const BoxLayout& layout_;
  LeafMasks masks_;
  std::size_t n_classes_;
  std::size_t limit_;
  const PollFunction& poll_;
  std::span<const std::uint8_t> wanted_;  // empty: all classes
  std::size_t met_ = 0;
  std::size_t steps_ = 0;

  std::vector<BoxList> lists_;  // a stack
  std::size_t on_stack_ = 0;    // nodes that have lists there

  // The node at hand.
  std::size_t node_ = 0;
  std::size_t feature_ = 0;
  std::size_t first_word_ = 0;
  std::size_t end_word_ = 0;
  std::vector<std::uint16_t> join_;
  std::vector<std::size_t> limited_;  // features on which join_ may be smaller than the region
  std::vector<Limited> low_, high_;   // the boxes of its children
  std::vector<std::uint64_t> words_;  // the memory of what follows
  std::span<std::uint64_t> wrong_;    // leaves of another class
  std::span<std::uint64_t> others_;   // those that a child's box meets elsewhere
  std::span<std::uint64_t> meets_;    // per limited feature the leaves that meet join_ on it
  std::span<std::uint64_t> once_;     // leaves of another class that miss join_ on one feature
};

}  // namespace

std::vector<BoxList> all_reasons(const BinTree& tree, const BoxLayout& layout,
                                 std::int32_t n_classes, std::size_t limit,
                                 const PollFunction& poll, std::span<const std::uint8_t> wanted) {
  Merger merger(tree, layout, n_classes, limit, poll, wanted);
  std::vector<BoxList> out;
  out.reserve(static_cast<std::size_t>(n_classes));
  for (BoxList& list : merger.run()) out.push_back(sorted(std::move(list), layout));
  return out;
}

}  // namespace orderless::reasons
