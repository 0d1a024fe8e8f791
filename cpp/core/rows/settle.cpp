#include "core/rows/settle.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "core/base/errors.hpp"

namespace orderless::rows {

namespace {

constexpr std::size_t at_once = 65'536;  // sets that are held before those that are there twice go

/// Sets of features, one after the other, `width` words each.
struct Sets {
  std::size_t width;
  Words words;

  [[nodiscard]] std::size_t size() const { return words.size() / width; }
  [[nodiscard]] std::span<const std::uint64_t> operator[](std::size_t i) const {
    return {words.data() + i * width, width};
  }
  void push(std::span<const std::uint64_t> set) {
    words.insert(words.end(), set.begin(), set.end());
  }
};

std::size_t count(std::span<const std::uint64_t> set) {
  std::size_t n = 0;
  for (const std::uint64_t word : set) n += static_cast<std::size_t>(std::popcount(word));
  return n;
}

bool contains(std::span<const std::uint64_t> set, std::span<const std::uint64_t> part) {
  for (std::size_t w = 0; w < set.size(); ++w) {
    if ((part[w] & ~set[w]) != 0) return false;
  }
  return true;
}

/// The sets in the order of their sizes, each once.
Sets by_size(const Sets& sets) {
  std::vector<std::size_t> order(sets.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto before = [&](std::size_t a, std::size_t b) {
    const std::size_t size_a = count(sets[a]), size_b = count(sets[b]);
    if (size_a != size_b) return size_a < size_b;
    return std::ranges::lexicographical_compare(sets[a], sets[b]);
  };
  std::ranges::sort(order, before);
  Sets out{sets.width, {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !std::ranges::equal(sets[order[i]], sets[order[i - 1]])) out.push(sets[order[i]]);
  }
  return out;
}

/// The first of the smallest sets that have a member in every one of some sets.
class Hitting {
 public:
  Hitting(std::size_t limit, Work& work) : limit_(limit), work_(work) {}

  Words first(const Sets& sets) {
    Sets minimal{sets.width, {}};
    const Sets sorted = by_size(sets);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      step(minimal.size());
      bool has_part = false;
      for (std::size_t j = 0; j < minimal.size() && !has_part; ++j) {
        has_part = contains(sorted[i], minimal[j]);
      }
      if (!has_part) minimal.push(sorted[i]);
    }
    Words chosen(sets.width, 0);
    for (std::size_t size = disjoint(minimal); best_.empty(); ++size) {
      if (size > 64 * sets.width) throw std::invalid_argument("two leaves have a box in common");
      hit(minimal, chosen, size);
    }
    return best_;
  }

 private:
  void step(std::size_t cost) {
    work_.add(cost + 1);
    if (++steps_ > limit_) throw TooMany(steps_);
  }

  /// Sets that have nothing in common: each takes a feature of its own.
  static std::size_t disjoint(const Sets& sets) {
    Words taken(sets.width, 0);
    std::size_t n = 0;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (share_bits(sets[i], taken)) continue;
      for (std::size_t w = 0; w < sets.width; ++w) taken[w] |= sets[i][w];
      ++n;
    }
    return n;
  }

  /// Whether a choice comes before the best one of the same size: it has the first of the features
  /// that only one of them has.
  [[nodiscard]] bool before_best(const Words& chosen) const {
    for (std::size_t w = 0; w < chosen.size(); ++w) {
      const std::uint64_t differ = chosen[w] ^ best_[w];
      if (differ != 0) return (chosen[w] & differ & (~differ + 1)) != 0;
    }
    return false;
  }

  /// Sees every choice of `left` more features that hits all sets, each once.
  void hit(const Sets& sets, const Words& chosen, std::size_t left) {
    step(sets.size());
    if (sets.words.empty()) {
      if (best_.empty() || before_best(chosen)) best_ = chosen;
      return;
    }
    if (disjoint(sets) > left) return;
    std::size_t smallest = 0;
    for (std::size_t i = 1; i < sets.size(); ++i) {
      if (count(sets[i]) < count(sets[smallest])) smallest = i;
    }
    Words banned(sets.width, 0);  // choices with these features have all been seen
    each_bit(sets[smallest], [&](std::size_t k) {
      Sets rest{sets.width, {}};
      bool all = true;
      for (std::size_t i = 0; i < sets.size() && all; ++i) {
        if (has_bit(sets[i].data(), k)) continue;
        const std::size_t first = rest.words.size();
        rest.push(sets[i]);
        all = false;
        for (std::size_t w = 0; w < sets.width; ++w) {
          rest.words[first + w] &= ~banned[w];
          all = all || rest.words[first + w] != 0;
        }
      }
      set_bit(banned, k);
      if (!all) return;
      Words with = chosen;
      set_bit(with, k);
      hit(rest, with, left - 1);
    });
  }

  std::size_t limit_;
  std::size_t steps_ = 0;
  Work& work_;
  Words best_;
};

bool keep_open(const OpenLeaves& leaves, std::size_t a, std::size_t b) {
  const auto [low, high] = std::minmax(leaves.label[a], leaves.label[b]);
  return high > leaves.reach[at(low)];
}

/// The features that separate two leaves, within what a row allows (empty: everything).
void separate(const OpenLeaves& leaves, std::size_t a, std::size_t b,
              std::span<const std::uint64_t> known, std::uint64_t* out) {
  const std::uint64_t* one = leaves.sides.data() + a * leaves.n_words;
  const std::uint64_t* other = leaves.sides.data() + b * leaves.n_words;
  for (std::size_t k = 0; k < leaves.n_features(); ++k) {
    std::uint64_t both = 0;
    for (auto w = at(leaves.start[k]); w < at(leaves.start[k + 1]); ++w) {
      both |= one[w] & other[w] & (known.empty() ? ~std::uint64_t{0} : known[w]);
    }
    if (both == 0) set_bit(out, k);
  }
}

}  // namespace

Words settling_set(const OpenLeaves& leaves, std::span<const std::uint8_t> reached,
                   std::span<const std::uint64_t> known, std::size_t limit,
                   const PollFunction& poll) {
  Work work(poll);
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] != 0) own.push_back(i);
  }
  Sets sets{leaves.mask_words(), {}};
  Words mask(sets.width);
  std::size_t most = at_once;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (sets.size() > most) {
      sets = by_size(sets);
      most = std::max(at_once, 2 * sets.size());
    }
    work.add(i * leaves.n_words);
    for (std::size_t j = 0; j < i; ++j) {
      if (!keep_open(leaves, own[i], own[j])) continue;
      std::ranges::fill(mask, 0);
      separate(leaves, own[i], own[j], known, mask.data());
      sets.push(mask);
    }
  }
  return Hitting(limit, work).first(sets);
}

}  // namespace orderless::rows
