// Two trees laid over each other, against all points.

#include <algorithm>
#include <stdexcept>

#include "core/same/overlay.hpp"
#include "tests/check.hpp"
#include "tests/trees.hpp"

using namespace orderless;
using namespace orderless::same;
using namespace orderless::tests;

namespace {

void no_poll(std::size_t) {}

std::int32_t label(const Arrays& tree, const std::vector<Domain>& domains, const Values& point) {
  return tree.leaf_class[static_cast<std::size_t>(decide(tree.view(), domains, point))];
}

bool uses(const Arrays& tree, std::size_t f) {
  return std::find(tree.feature.begin(), tree.feature.end(), static_cast<std::int32_t>(f)) !=
         tree.feature.end();
}

/// One value per bin, as the trees' own thresholds cut the feature.
Values one_per_bin(const Domain& domain, const std::vector<double>& own) {
  if (!domain.ordered) return values_of(domain);
  Values out = own;
  out.push_back(domain.upper == 1 ? 1 : 1e9);
  if (domain.nan) out.push_back(not_a_number);
  return out;
}

void test_against_all_points() {
  Random random{1};
  int different = 0, same = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<Domain> domains = random_domains(random);
    const int depth = 1 + static_cast<int>(random.below(4));
    const Arrays a = without_dead(random_tree(random, domains, 2, depth), domains);
    const Arrays b =
        random.below(8) == 0 ? a : without_dead(random_tree(random, domains, 2, depth), domains);
    bool differ = false;
    for (const Values& point : all_points(domains)) {
      differ = differ || label(a, domains, point) != label(b, domains, point);
    }
    (differ ? different : same) += 1;
    const auto found = first_difference(a.view(), b.view(), domains, no_poll);
    CHECK(found.has_value() == differ);
    if (found) {
      CHECK(found->class_a != found->class_b);
      bool some = false;
      for (const Values& point : all_points(domains)) {
        if (!inside(found->box, domains, point)) continue;
        some = true;
        CHECK(label(a, domains, point) == found->class_a);
        CHECK(label(b, domains, point) == found->class_b);
      }
      CHECK(some);
    }
    std::vector<std::vector<double>> own(domains.size());
    std::vector<Values> choices;
    for (std::size_t f = 0; f < domains.size(); ++f) {
      for (const double cut : cuts) {
        const auto asks = [&](const Arrays& tree) {
          for (std::size_t node = 0; node < tree.feature.size(); ++node) {
            if (tree.feature[node] == static_cast<std::int32_t>(f) && tree.threshold[node] == cut) {
              return true;
            }
          }
          return false;
        };
        if (domains[f].ordered && (asks(a) || asks(b))) own[f].push_back(cut);
      }
      choices.push_back(one_per_bin(domains[f], own[f]));
      if (!uses(a, f) && !uses(b, f)) choices.back().resize(1);
    }
    const std::vector<Values> bins = product(choices);
    double count = 0;
    for (const Values& point : bins) {
      count += label(a, domains, point) != label(b, domains, point) ? 1 : 0;
    }
    const double share = share_of_difference(a.view(), b.view(), domains, own, no_poll);
    CHECK(std::abs(share - count / static_cast<double>(bins.size())) < 1e-9);
  }
  CHECK(different > 500 && same > 200);
}

void test_deep_and_polled() {
  const std::vector<Domain> domains{numeric()};
  const Arrays one = chain(100000);
  CHECK(!first_difference(one.view(), one.view(), domains, no_poll));
  Arrays other = one;
  other.leaf_class.back() = 1;
  const auto found = first_difference(one.view(), other.view(), domains, no_poll);
  CHECK(found.has_value());
  CHECK(found->box[0].lower == 99999 && found->box[0].upper == infinity);
  bool stopped = false;
  try {
    (void)first_difference(one.view(), one.view(), domains,
                           [](std::size_t) { throw std::runtime_error("stop"); });
  } catch (const std::runtime_error&) {
    stopped = true;
  }
  CHECK(stopped);
}

}  // namespace

int main() {
  test_against_all_points();
  test_deep_and_polled();
}
