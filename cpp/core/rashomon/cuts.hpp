#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orderless::rashomon {

struct Rows;

/// Columns in chains, x <= 1, x <= 2, ...: where one is 1, so are all after it. One number per item
/// and chain says all of them, its bin: how many of the chain's columns are 0. An item is a bit of
/// a support, 2^shift rows of one class. Columns that part the items alike stand together, as one
/// group; columns that do not part them are left out.
struct Cuts {
  std::vector<std::uint32_t> start;   // first group of each chain, and the number of groups
  std::vector<std::uint32_t> column;  // of each group: its first column in the whole table
  std::vector<std::uint32_t> end;     // and one after its last
  std::vector<std::uint32_t> n_upto;  // of each group: how many items are 1
  std::vector<std::uint16_t> bin;     // chain after chain: of each item
  std::vector<std::uint32_t> sorted;  // chain after chain: items by bin
  std::vector<std::int32_t> label;    // of each item: its class
  std::vector<std::int64_t> weight;   // and what it weighs

  [[nodiscard]] bool used() const { return !start.empty(); }
  [[nodiscard]] std::size_t n_items() const { return label.size(); }
  [[nodiscard]] std::size_t n_chains() const { return start.empty() ? 0 : start.size() - 1; }
  [[nodiscard]] std::size_t n_groups() const { return start.empty() ? 0 : start.back(); }
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t chain_of(std::size_t group) const;
  [[nodiscard]] const std::uint16_t* bins(std::size_t chain) const {
    return bin.data() + chain * n_items();
  }
  [[nodiscard]] const std::uint32_t* items(std::size_t chain) const {
    return sorted.data() + chain * n_items();
  }
  /// Where a group's own items, of the bin that is 1 from it on, begin among those of its chain.
  [[nodiscard]] std::uint32_t first_item(std::size_t chain, std::size_t group) const {
    return group == start[chain] ? 0 : n_upto[group - 1];
  }
  /// Weight of each class.
  void weigh(std::int64_t* out, std::size_t n_classes) const;
};

/// Finds the chains of a table that has long ones; else leaves rows.cuts unused.
void find_chains(Rows& rows);
/// The same where there are so many columns, and so many in a chain on average.
void find_chains(Rows& rows, std::size_t n_columns, std::size_t in_chain);

/// Takes some items of others alone; what it works in is used again.
class CutTaker {
 public:
  /// Cost: chains x items. `out` is not `from`.
  void take(const Cuts& from, std::span<const std::uint32_t> items, Cuts& out);

 private:
  void take_chain(const Cuts& from, std::span<const std::uint32_t> items, std::size_t chain,
                  Cuts& out);

  std::vector<std::uint32_t> count_, rank_;
};

}  // namespace orderless::rashomon
