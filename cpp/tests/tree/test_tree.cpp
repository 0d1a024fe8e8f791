// Sides, boxes, walks over a tree's leaves, and what is wrong or dead in a tree.

#include <bit>
#include <map>
#include <set>

#include "core/tree/held.hpp"
#include "tests/check.hpp"
#include "tests/trees.hpp"

using namespace orderless;
using namespace orderless::tests;

namespace {

void test_whole_sides() {
  for (const std::int32_t n : {1, 2, 63, 64, 65, 127, 128, 129, 1000}) {
    const Side side = whole(categorical(n));
    int bits = 0;
    for (const std::uint64_t word : side.bits) bits += std::popcount(word);
    CHECK(bits == n);
    CHECK(side.bits.size() == static_cast<std::size_t>((n + 63) / 64));
    CHECK(!side.empty(false));
  }
  CHECK(whole(categorical(0)).empty(false));
  CHECK(!whole(numeric()).empty(true));
  CHECK(!whole(numeric()).nan);
  CHECK(whole(numeric(true)).nan);
  CHECK(whole(boolean()).lower == -1 && whole(boolean()).upper == 1);
  CHECK(whole(std::vector<Domain>{}).empty());
}

void test_empty_sides() {
  Side side;
  side.lower = side.upper = 1;
  CHECK(side.empty(true));
  side.nan = true;
  CHECK(!side.empty(true));
  side.nan = false;
  side.upper = std::nextafter(1.0, 2.0);
  CHECK(!side.empty(true));
  side.lower = side.upper = -infinity;
  CHECK(side.empty(true));
}

/// Each value of a side is in exactly one of its two parts: the one that the condition says.
void test_split_divides() {
  Random random{1};
  for (int round = 0; round < 2000; ++round) {
    const std::vector<Domain> domains = random_domains(random);
    const Arrays tree = random_tree(random, domains, 2, 3);
    Side side = whole(domains[0]);
    for (std::size_t node = 0; node < tree.feature.size(); ++node) {
      if (tree.feature[node] != 0) continue;
      const bool ordered = domains[0].ordered;
      auto [on_true, on_false] = split(tree.view(), node, side, ordered);
      bool some_true = false, some_false = false;
      for (const double value : values_of(domains[0])) {
        const bool is_in = inside(side, domains[0], value);
        const bool yes = holds(tree.view(), node, value, domains[0]);
        CHECK(inside(on_true, domains[0], value) == (is_in && yes));
        CHECK(inside(on_false, domains[0], value) == (is_in && !yes));
        some_true = some_true || (is_in && yes);
        some_false = some_false || (is_in && !yes);
      }
      CHECK(on_true.empty(ordered) == !some_true);
      CHECK(on_false.empty(ordered) == !some_false);
      side = some_true ? on_true : on_false;
    }
  }
}

/// The boxes of the leaves divide the space, and `parts` is what it was when a walk is over.
void test_walk_visits_all_leaves() {
  Random random{2};
  for (int round = 0; round < 1000; ++round) {
    const std::vector<Domain> domains = random_domains(random);
    const Arrays tree = random_tree(random, domains);
    const std::vector<Values> points = all_points(domains);
    std::vector<int> seen(points.size(), 0);
    std::set<std::int32_t> leaves;
    Box box = whole(domains);
    const bool finished = walk_box(tree.view(), domains, box, [&](std::int32_t leaf) {
      CHECK(leaves.insert(leaf).second);
      bool some = false;
      for (std::size_t i = 0; i < points.size(); ++i) {
        const bool here = decide(tree.view(), domains, points[i]) == leaf;
        CHECK(inside(box, domains, points[i]) == here);
        seen[i] += here ? 1 : 0;
        some = some || here;
      }
      CHECK(some);  // no leaf is visited that no point reaches
      return true;
    });
    CHECK(finished);
    for (const int times : seen) CHECK(times == 1);
    for (const Values& point : points) CHECK(inside(box, domains, point));
    // It stops when it is told to.
    std::size_t visits = 0;
    const std::size_t stop = 1 + random.below(leaves.size());
    Box other = whole(domains);
    const bool all =
        walk_box(tree.view(), domains, other, [&](std::int32_t) { return ++visits < stop; });
    CHECK(!all && visits == stop);
  }
}

void test_links() {
  Arrays tree;
  const std::int32_t root = tree.add(0, 1, false, -1);
  const std::int32_t one = tree.leaf(0);
  const std::int32_t two = tree.leaf(1);
  tree.hang(root, one, two);
  CHECK(check_links(tree.view()).fault == LinkFault::none);
  CHECK(check_links(tree.view()).depth == 1);
  tree.hang(root, one, one);
  CHECK(check_links(tree.view()).fault == LinkFault::shared);
  CHECK(check_links(tree.view()).node == one);
  tree.hang(root, one, root);
  CHECK(check_links(tree.view()).fault == LinkFault::shared);
  CHECK(check_links(tree.view()).node == root);
  tree.hang(root, one, two);
  tree.leaf(0);
  CHECK(check_links(tree.view()).fault == LinkFault::unreachable);
  CHECK(check_links(tree.view()).node == 3);
  Arrays island;  // a cycle that does not touch the root
  island.leaf(0);
  island.hang(island.add(0, 1, false, -1), 1, 1);
  CHECK(check_links(island.view()).fault == LinkFault::unreachable);
  Random random{3};
  for (int round = 0; round < 500; ++round) {
    const std::vector<Domain> domains = random_domains(random);
    Arrays any = random_tree(random, domains, 2, 5);
    CHECK(check_links(any.view()).fault == LinkFault::none);
    if (any.feature.size() == 1) continue;
    // Any wrong link leaves a node that hangs twice or not at all.
    std::size_t node = random.below(any.feature.size());
    while (any.feature[node] < 0) node = random.below(any.feature.size());
    const auto wrong = static_cast<std::int32_t>(random.below(any.feature.size()));
    if (wrong == any.when_true[node]) continue;
    any.when_true[node] = wrong;
    CHECK(check_links(any.view()).fault != LinkFault::none);
  }
}

/// Pruning keeps the function, and leaves no branch that no point takes.
void test_prune() {
  Random random{4};
  int dropped = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::vector<Domain> domains = random_domains(random);
    const Arrays tree = random_tree(random, domains, 3, 5);
    const Pruned pruned = prune(tree.view(), domains);
    std::int32_t last = 0;
    for (std::size_t node = 0; node < tree.feature.size(); ++node) {
      const std::int32_t at = pruned.index[node];
      CHECK(at < pruned.n_kept);
      if (at <= 0) continue;
      CHECK(at == ++last);  // the old order, after the root
    }
    CHECK(last + 1 == pruned.n_kept);
    CHECK(pruned.index[static_cast<std::size_t>(pruned.root)] == 0);
    const Arrays small = without_dead(tree, domains);
    CHECK(check_links(small.view()).fault == LinkFault::none);
    std::set<std::int32_t> reached;
    for (const Values& point : all_points(domains)) {
      const auto a = static_cast<std::size_t>(decide(tree.view(), domains, point));
      const std::int32_t b = decide(small.view(), domains, point);
      CHECK(tree.leaf_class[a] == small.leaf_class[static_cast<std::size_t>(b)]);
      CHECK(pruned.index[a] == b);  // it is the same leaf
      reached.insert(b);
    }
    std::size_t n_leaves = 0;
    for (const std::int32_t f : small.feature) n_leaves += f < 0 ? 1 : 0;
    CHECK(reached.size() == n_leaves);
    dropped += static_cast<int>(tree.feature.size()) - pruned.n_kept;
    CHECK(prune(small.view(), domains).n_kept == pruned.n_kept);
  }
  CHECK(dropped > 1000);
}

/// A chain of 200,000 conditions: no recursion, and linear.
void test_deep() {
  const std::int32_t n = 200000;
  const Arrays deep = chain(n);
  const std::vector<Domain> domains{numeric()};
  CHECK(check_links(deep.view()).depth == n);
  CHECK(prune(deep.view(), domains).n_kept == 2 * n + 1);
  Box box = whole(domains);
  std::int32_t leaves = 0;
  walk_box(deep.view(), domains, box, [&](std::int32_t) { return ++leaves > 0; });
  CHECK(leaves == n + 1);
  Arrays dead = chain(n);  // the same question over and over: all but one are dead
  for (double& cut : dead.threshold) cut = 1;
  CHECK(prune(dead.view(), domains).n_kept == 3);
}

}  // namespace

int main() {
  test_whole_sides();
  test_empty_sides();
  test_split_divides();
  test_walk_visits_all_leaves();
  test_links();
  test_prune();
  test_deep();
}
