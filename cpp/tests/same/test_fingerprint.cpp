// The field, the hash, and the polynomial of a tree against its definition, cell by cell.

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "core/same/fingerprint.hpp"
#include "tests/check.hpp"
#include "tests/trees.hpp"

using namespace orderless;
using namespace orderless::same;
using namespace orderless::tests;

namespace {

constexpr std::uint64_t prime = Field::prime;

/// a x b modulo the prime, by doubling: no number here passes 2^62.
std::uint64_t product_by_doubling(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  for (a %= prime; b != 0; b >>= 1U, a = 2 * a % prime) {
    if ((b & 1U) != 0) out = (out + a) % prime;
  }
  return out;
}

void no_poll() {}

void test_field() {
  Random random{1};
  std::vector<std::uint64_t> elements{0,
                                      1,
                                      2,
                                      7,
                                      8,
                                      prime - 1,
                                      prime - 2,
                                      prime / 2,
                                      (prime >> 1) + 1,
                                      (std::uint64_t{1} << 32) - 1,
                                      std::uint64_t{1} << 32,
                                      std::uint64_t{1} << 60};
  for (int i = 0; i < 300; ++i) elements.push_back(random.bits() % prime);
  for (const std::uint64_t a : elements) {
    for (const std::uint64_t b : elements) {
      CHECK(Field::add(a, b) == (a + b) % prime);
      CHECK(Field::subtract(a, b) == (a + prime - b) % prime);
      CHECK(Field::multiply(a, b) == product_by_doubling(a, b));
    }
  }
  for (const std::uint64_t x : {std::uint64_t{0}, prime - 1, prime, prime + 1, 2 * prime, 7 * prime,
                                8 * prime, ~std::uint64_t{0}}) {
    CHECK(Field::reduce(x) == x % prime);
  }
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t x = random.bits();
    CHECK(Field::reduce(x) == x % prime);
  }
}

/// Key 00 .. 0f, message 00 .. 07, as `openssl mac -macopt size:16 SIPHASH` gives it.
void test_siphash() {
  const Point hash = siphash({0x0706050403020100U, 0x0f0e0d0c0b0a0908U}, 0x0706050403020100U);
  CHECK(hash[0] == 0x61f55862baa9623bU);
  CHECK(hash[1] == 0xb49714f364e2830fU);
}

Point reduced(Point hash) { return {hash[0] % prime, hash[1] % prime}; }

/// One piece of a feature's values: a value in it, and its weight.
struct Piece {
  double value;
  Point weight;
};

/// F at the cuts, and the differences between them; by the definition in the design.
std::vector<Piece> pieces(const Domain& domain, const FeatureWeights& weights) {
  std::vector<Piece> out;
  if (!domain.ordered) {
    for (std::size_t v = 0; v < weights.values.size(); ++v) {
      out.push_back({static_cast<double>(v), weights.values[v]});
    }
    return out;
  }
  Point rest{1, 1};
  if (domain.nan) {
    const Point nan = reduced(siphash(weights.key, 0x7ff8000000000000U));
    out.push_back({not_a_number, nan});
    for (std::size_t k : {0U, 1U}) rest[k] = (1 + prime - nan[k]) % prime;
  }
  std::vector<double> inner;
  for (const double cut : cuts) {
    if (domain.lower < cut && cut < domain.upper) inner.push_back(cut);
  }
  Point before{0, 0};
  for (const double cut : inner) {
    const Point here = reduced(siphash(weights.key, std::bit_cast<std::uint64_t>(cut)));
    out.push_back(
        {cut, {(here[0] + prime - before[0]) % prime, (here[1] + prime - before[1]) % prime}});
    before = here;
  }
  out.push_back({domain.upper == 1 ? 1 : 1e9,
                 {(rest[0] + prime - before[0]) % prime, (rest[1] + prime - before[1]) % prime}});
  return out;
}

std::vector<FeatureWeights> random_weights(Random& random, const std::vector<Domain>& domains) {
  std::vector<FeatureWeights> out(domains.size());
  for (std::size_t f = 0; f < domains.size(); ++f) {
    out[f].key = {random.bits(), random.bits()};
    if (domains[f].ordered) continue;
    Point rest{1, 1};
    for (std::int32_t v = 0; v + 1 < domains[f].n_values; ++v) {
      const Point weight{random.bits() % prime, random.bits() % prime};
      out[f].values.push_back(weight);
      for (std::size_t k : {0U, 1U}) rest[k] = (rest[k] + prime - weight[k]) % prime;
    }
    out[f].values.push_back(rest);
  }
  return out;
}

Point by_definition(const Arrays& tree, const std::vector<Domain>& domains,
                    const std::vector<FeatureWeights>& weights,
                    const std::vector<Point>& class_values) {
  std::vector<std::vector<Piece>> all;
  std::vector<Values> choices;
  for (std::size_t f = 0; f < domains.size(); ++f) {
    all.push_back(pieces(domains[f], weights[f]));
    choices.emplace_back();
    for (std::size_t i = 0; i < all.back().size(); ++i) {
      choices.back().push_back(static_cast<double>(i));
    }
  }
  Point sum{0, 0};
  for (const Values& cell : product(choices)) {
    Values point;
    for (std::size_t f = 0; f < cell.size(); ++f) {
      point.push_back(all[f][static_cast<std::size_t>(cell[f])].value);
    }
    const auto leaf = static_cast<std::size_t>(decide(tree.view(), domains, point));
    for (std::size_t k : {0U, 1U}) {
      std::uint64_t term = class_values[static_cast<std::size_t>(tree.leaf_class[leaf])][k];
      for (std::size_t f = 0; f < cell.size(); ++f) {
        term = product_by_doubling(term, all[f][static_cast<std::size_t>(cell[f])].weight[k]);
      }
      sum[k] = (sum[k] + term) % prime;
    }
  }
  return sum;
}

void test_fingerprints() {
  Random random{2};
  for (int round = 0; round < 400; ++round) {
    const std::vector<Domain> domains = random_domains(random);
    const std::vector<FeatureWeights> weights = random_weights(random, domains);
    std::vector<Point> classes;
    for (int i = 0; i < 3; ++i) classes.push_back({random.bits() % prime, random.bits() % prime});
    std::vector<Arrays> trees;
    Arrays joined;
    joined.set_start.clear();
    std::vector<std::int64_t> start{0};
    for (int i = 0; i < 4; ++i) {
      trees.push_back(without_dead(random_tree(random, domains), domains));
      const Arrays& tree = trees.back();
      const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      const auto sets = static_cast<std::int64_t>(joined.set_values.size());
      for (std::size_t node = 0; node < tree.feature.size(); ++node) {
        joined.set_start.push_back(tree.set_start[node] + sets);
      }
      append(joined.set_values, tree.set_values);
      append(joined.feature, tree.feature);
      append(joined.threshold, tree.threshold);
      append(joined.nan_true, tree.nan_true);
      append(joined.when_true, tree.when_true);
      append(joined.when_false, tree.when_false);
      append(joined.leaf_class, tree.leaf_class);
      start.push_back(static_cast<std::int64_t>(joined.feature.size()));
    }
    joined.set_start.push_back(static_cast<std::int64_t>(joined.set_values.size()));
    const std::vector<Point> found =
        fingerprints({joined.view(), start}, domains, weights, classes, no_poll);
    CHECK(found.size() == trees.size());
    for (std::size_t i = 0; i < trees.size(); ++i) {
      CHECK(found[i] == by_definition(trees[i], domains, weights, classes));
      for (std::size_t j = 0; j < i; ++j) {
        bool same = true;
        for (const Values& point : all_points(domains)) {
          const auto a = static_cast<std::size_t>(decide(trees[i].view(), domains, point));
          const auto b = static_cast<std::size_t>(decide(trees[j].view(), domains, point));
          same = same && trees[i].leaf_class[a] == trees[j].leaf_class[b];
        }
        CHECK((found[i] == found[j]) == same);
      }
    }
  }
}

void test_deep_and_polled() {
  const Arrays deep = chain(100000);
  const std::vector<Domain> domains{numeric()};
  const std::vector<FeatureWeights> weights(1);
  const std::vector<Point> classes{{1, 1}, {1, 1}};
  const std::vector<std::int64_t> start{0, static_cast<std::int64_t>(deep.feature.size())};
  // All leaves of one class: the weights sum to 1.
  const auto sum = fingerprints({deep.view(), start}, domains, weights, classes, no_poll);
  CHECK((sum == std::vector<Point>{{1, 1}}));
  bool stopped = false;
  try {
    (void)fingerprints({deep.view(), start}, domains, weights, classes,
                       [] { throw std::runtime_error("stop"); });
  } catch (const std::runtime_error&) {
    stopped = true;
  }
  CHECK(stopped);
  const std::vector<std::int64_t> none{0};
  CHECK(fingerprints({deep.view(), none}, domains, weights, classes, no_poll).empty());
}

}  // namespace

int main() {
  test_field();
  test_siphash();
  test_fingerprints();
  test_deep_and_polled();
}
