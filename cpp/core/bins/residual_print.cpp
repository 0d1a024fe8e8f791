#include <algorithm>

#include "core/bins/residual_parts.hpp"

namespace orderless {

namespace {

std::uint64_t weight_of_bin(std::int32_t feature, std::int32_t bin) {
  return scatter(static_cast<std::uint64_t>(feature) << 32 | static_cast<std::uint32_t>(bin));
}

}  // namespace

std::uint64_t ResidualPrint::of_leaf(std::int32_t label) {
  return scatter(~static_cast<std::uint64_t>(label));
}

std::uint64_t ResidualPrint::sum_of(std::int32_t mask, const Part& part) const {
  std::uint64_t sum = 0;
  each_bit(residuals_.mask(mask), [&](std::size_t b) {
    sum += weight_of_bin(part.feature, static_cast<std::int32_t>(b));
    if (b == part.first) sum += part.rest;
  });
  return sum;
}

/// The whole side of a feature, at the first question about it.
ResidualPrint::Part ResidualPrint::open(const Residuals::Node& node) const {
  Part part{node.feature, 0, 1, 0, 0, 0, ~std::size_t{0}};
  if (residuals_.ordered(node.feature)) {
    if (node.b != 2) part.nan = weight_of_bin(node.feature, residuals_.last(node.feature) + 1);
    part.high -= part.nan;
    return part;
  }
  const std::uint64_t all = sum_of(node.a, part) + sum_of(node.b, part);
  for (const std::int32_t mask : {node.a, node.b}) {
    each_bit(residuals_.mask(mask), [&](std::size_t b) { part.first = std::min(part.first, b); });
  }
  part.rest = 1 - all;
  return part;
}

std::uint64_t ResidualPrint::of(Residuals::Id id) {
  const Residuals::Node node = residuals_.node(id);
  if (node.feature < 0) {
    std::uint64_t product = of_leaf(node.a);
    for (const Part& part : parts_) {
      product *= residuals_.ordered(part.feature) ? part.high - part.low + part.nan : part.sum;
    }
    return product;
  }
  std::size_t k = 0;
  while (k < parts_.size() && parts_[k].feature != node.feature) ++k;
  const bool is_new = k == parts_.size();
  if (is_new) parts_.push_back(open(node));
  const Part saved = parts_[k];
  std::uint64_t total = 0;
  if (!residuals_.ordered(node.feature)) {
    parts_[k].sum = sum_of(node.a, saved);
    total += of(node.yes);
    parts_[k].sum = sum_of(node.b, saved);
    total += of(node.no);
  } else {
    const bool known = node.a == residuals_.last(node.feature);
    const std::uint64_t cut = known ? saved.high : weight_of_bin(node.feature, node.a);
    parts_[k].high = cut;
    parts_[k].nan = node.b == 1 ? saved.nan : 0;
    total += of(node.yes);
    parts_[k] = saved;
    parts_[k].low = cut;
    parts_[k].nan = node.b == 0 ? saved.nan : 0;
    total += of(node.no);
  }
  parts_[k] = saved;
  if (is_new) parts_.pop_back();
  return total;
}

std::uint64_t Residuals::fingerprint(Id id) {
  if (print_known_[at(id)] == 0) {
    print_[at(id)] = ResidualPrint(*this).of(id);
    print_known_[at(id)] = 1;
  }
  return print_[at(id)];
}

}  // namespace orderless
