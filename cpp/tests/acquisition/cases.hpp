#pragma once

// Small random problems of purchases, for tests.

#include <algorithm>
#include <vector>

#include "core/acquisition/problem.hpp"
#include "tests/check.hpp"

namespace orderless::acquisition::tests {

using orderless::tests::Random;

/// A random function of n bits as a complete tree (leaf i has the bits of i), random rows, weights
/// and costs; every bit is a purchase.
struct Case {
  std::size_t n;
  std::vector<std::int32_t> outcome;
  std::vector<std::int64_t> weight, cost, outcome_start, next_start{0};
  std::vector<std::uint64_t> masks, start, classes;
  std::vector<std::int32_t> node_purchase, next;
  std::vector<std::int64_t> number;  // by leaf
  std::int64_t within = 0;           // how far the numbers of one class are apart at most

  Case(Random& random, std::size_t bits, std::size_t n_rows, std::size_t n_classes) : n(bits) {
    const std::size_t leaves = std::size_t{1} << n;
    const std::size_t words = (leaves + 63) / 64;
    start.assign(words, 0);
    classes.assign(words * n_classes, 0);
    masks.assign(words * 2 * n, 0);
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      const std::uint64_t bit = std::uint64_t{1} << (leaf % 64);
      start[leaf / 64] |= bit;
      number.push_back(static_cast<std::int64_t>(random.below(n_classes)));
      classes[static_cast<std::size_t>(number.back()) * words + leaf / 64] |= bit;
      for (std::size_t p = 0; p < n; ++p)
        masks[(2 * p + (leaf >> p & 1U)) * words + leaf / 64] |= bit;
    }
    for (std::size_t p = 0; p <= n; ++p) outcome_start.push_back(static_cast<std::int64_t>(2 * p));
    for (std::size_t p = 0; p < n; ++p) cost.push_back(static_cast<std::int64_t>(random.below(6)));
    std::vector<std::size_t> rows;
    while (rows.size() < n_rows) {
      const std::size_t row = random.below(leaves);
      if (std::find(rows.begin(), rows.end(), row) != rows.end()) continue;
      rows.push_back(row);
      weight.push_back(1 + static_cast<std::int64_t>(random.below(3)));
      for (std::size_t p = 0; p < n; ++p)
        outcome.push_back(static_cast<std::int32_t>(row >> p & 1U));
    }
    for (std::size_t node = 0; node + 1 < 2 * leaves; ++node) {  // level by level, bit by bit
      std::size_t depth = 0;
      while ((std::size_t{2} << depth) - 1 <= node) ++depth;
      node_purchase.push_back(depth < n ? static_cast<std::int32_t>(depth) : -1);
      if (depth < n) {
        next.push_back(static_cast<std::int32_t>(2 * node + 1));
        next.push_back(static_cast<std::int32_t>(2 * node + 2));
      }
      next_start.push_back(static_cast<std::int64_t>(next.size()));
    }
  }

  /// Classes that overlap: from each number, all leaves whose numbers are at most `width` above.
  void widen(std::int64_t width, std::size_t n_numbers) {
    within = width;
    std::fill(classes.begin(), classes.end(), 0);
    for (std::size_t from = 0; from < n_numbers; ++from) {
      for (std::size_t leaf = 0; leaf < number.size(); ++leaf) {
        const std::int64_t above = number[leaf] - static_cast<std::int64_t>(from);
        if (above < 0 || above > width) continue;
        classes[from * start.size() + leaf / 64] |= std::uint64_t{1} << (leaf % 64);
      }
    }
  }

  /// Cuts branches off: a node becomes a leaf, which stands for all leaves below it as the first of
  /// them, and the bits that come later tell nothing of it.
  void prune(Random& random) {
    std::vector<std::size_t> depth(number.size(), n);
    for (std::size_t cut = n; cut-- > 1;) {
      for (std::size_t first = 0; first < (std::size_t{1} << cut); ++first) {
        if (random.below(3) != 0) continue;
        for (std::size_t leaf = first; leaf < depth.size(); leaf += std::size_t{1} << cut) {
          depth[leaf] = cut;
        }
      }
    }
    const std::size_t words = start.size();
    for (std::size_t leaf = 0; leaf < depth.size(); ++leaf) {
      const std::size_t first = leaf & ((std::size_t{1} << depth[leaf]) - 1);
      const std::uint64_t bit = std::uint64_t{1} << (leaf % 64);
      if (first == leaf) {
        for (std::size_t p = depth[leaf]; p < n; ++p) {
          for (std::size_t which = 0; which < 2; ++which) {
            masks[(2 * p + which) * words + leaf / 64] |= bit;
          }
        }
        continue;
      }
      for (std::vector<std::uint64_t>* sets : {&start, &classes, &masks}) {
        for (std::size_t at = leaf / 64; at < sets->size(); at += words) (*sets)[at] &= ~bit;
      }
    }
    for (std::size_t node = 0; node < node_purchase.size(); ++node) {
      std::size_t level = 0, leaf = 0;
      for (std::size_t at = node; at > 0; at = (at - 1) / 2, ++level) {
        leaf = 2 * leaf + (at % 2 == 0 ? 1 : 0);
      }
      // Below a cut nothing is reached, so what is asked there does not matter.
      if (level < n && depth[leaf] <= level) node_purchase[node] = -1;
    }
  }

  /// Adds purchases that tell nothing.
  void pad(std::size_t n_purchases) {
    std::vector<std::int32_t> wide;
    for (std::size_t row = 0; row < weight.size(); ++row) {
      const auto own = outcome.begin() + static_cast<std::ptrdiff_t>(row * n);
      wide.insert(wide.end(), own, own + static_cast<std::ptrdiff_t>(n));
      wide.resize((row + 1) * n_purchases, 0);
    }
    outcome = wide;
    for (; n < n_purchases; ++n) {
      cost.push_back(1);
      masks.insert(masks.end(), start.begin(), start.end());
      outcome_start.push_back(outcome_start.back() + 1);
    }
  }

  /// By the numbers, not by the classes.
  [[nodiscard]] bool settled(const std::vector<std::uint64_t>& leaves) const {
    std::int64_t low = 1000, high = -1000;
    for (std::size_t leaf = 0; leaf < number.size(); ++leaf) {
      if ((leaves[leaf / 64] >> (leaf % 64) & 1U) == 0) continue;
      low = std::min(low, number[leaf]), high = std::max(high, number[leaf]);
    }
    return high - low <= within;
  }

  [[nodiscard]] Acquisition problem() const {
    Acquisition out;
    out.n_purchases = n;
    out.n_words = start.size();
    out.outcome = outcome;
    out.weight = weight;
    out.cost = cost;
    out.outcome_start = outcome_start;
    out.masks = masks;
    out.start = start;
    out.classes = classes;
    out.node_purchase = node_purchase;
    out.next_start = next_start;
    out.next = next;
    return out;
  }
};

}  // namespace orderless::acquisition::tests
