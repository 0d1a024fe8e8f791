#include "core/reasons/setcover.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace orderless::reasons {

namespace {

using Row = std::vector<std::int32_t>;
using Bits = std::vector<std::uint64_t>;

bool within(const Bits& a, const Bits& b) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & ~b[w]) != 0) return false;
  }
  return true;
}

struct Chosen {
  std::int64_t cost = 0;
  std::vector<std::int32_t> columns;  // sorted when it is complete

  [[nodiscard]] bool better_than(const Chosen& other) const {
    if (columns.size() != other.columns.size()) return columns.size() < other.columns.size();
    if (cost != other.cost) return cost < other.cost;
    return columns < other.columns;
  }
};

class CoverSearch {
 public:
  CoverSearch(const std::vector<std::int32_t>& cost, const std::function<void()>& step)
      : cost_(cost), step_(step) {}

  std::vector<std::int32_t> run(std::vector<Row> rows) {
    branch(std::move(rows), {});
    return best_.value_or(Chosen{}).columns;
  }

 private:
  void take(std::int32_t column, std::vector<Row>& rows, Chosen& chosen) const {
    chosen.columns.push_back(column);
    chosen.cost += cost_[static_cast<std::size_t>(column)];
    std::erase_if(rows, [column](const Row& row) {
      return std::binary_search(row.begin(), row.end(), column);
    });
  }

  /// Applies the reductions until nothing changes.
  void reduce(std::vector<Row>& rows, Chosen& chosen) const {
    while (true) {
      const auto forced =
          std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.size() == 1; });
      if (forced != rows.end()) {
        take(forced->front(), rows, chosen);
        continue;
      }
      if (drop_rows(rows)) continue;
      if (drop_columns(rows)) continue;
      return;
    }
  }

  /// A row that contains another is covered with it.
  static bool drop_rows(std::vector<Row>& rows) {
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    const std::size_t before = rows.size();
    std::vector<Row> kept;
    for (Row& row : rows) {
      const bool covered = std::any_of(kept.begin(), kept.end(), [&](const Row& other) {
        return std::includes(row.begin(), row.end(), other.begin(), other.end());
      });
      if (!covered) kept.push_back(std::move(row));
    }
    rows = std::move(kept);
    return rows.size() != before;
  }

  /// A column is superfluous if an earlier one, which costs no more, is in all of its rows.
  static bool drop_columns(std::vector<Row>& rows) {
    std::map<std::int32_t, Bits> where;
    const std::size_t n_words = (rows.size() + 63) / 64;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const std::int32_t column : rows[r]) {
        Bits& bits = where[column];
        bits.resize(n_words, 0);
        bits[r / 64] |= std::uint64_t{1} << (r % 64);
      }
    }
    std::map<Bits, std::int32_t> first;  // equal columns: the earliest stays
    for (const auto& [column, bits] : where) first.emplace(bits, column);
    std::vector<std::pair<std::int32_t, const Bits*>> left;
    left.reserve(first.size());
    for (const auto& [bits, column] : first) left.emplace_back(column, &bits);
    std::sort(left.begin(), left.end());
    std::vector<std::pair<std::int32_t, const Bits*>> kept;
    for (const auto& [column, bits] : left) {
      const bool superfluous = std::any_of(
          kept.begin(), kept.end(), [&, b = bits](const auto& k) { return within(*b, *k.second); });
      if (!superfluous) kept.emplace_back(column, bits);
    }
    if (kept.size() == where.size()) return false;
    std::vector<std::int32_t> stay;
    stay.reserve(kept.size());
    for (const auto& [column, _] : kept) stay.push_back(column);
    for (Row& row : rows) {
      std::erase_if(row, [&](std::int32_t column) {
        return !std::binary_search(stay.begin(), stay.end(), column);
      });
    }
    return true;
  }

  /// Rows without a common column need a column each: a lower bound on number and cost.
  [[nodiscard]] std::pair<std::size_t, std::int64_t> bound(const std::vector<Row>& rows) const {
    std::size_t n = 0;
    std::int64_t cost = 0;
    std::vector<std::int32_t> used;
    for (const Row& row : rows) {  // short rows first
      const bool apart = std::none_of(row.begin(), row.end(), [&](std::int32_t column) {
        return std::find(used.begin(), used.end(), column) != used.end();
      });
      if (!apart) continue;
      ++n;
      cost += cost_[static_cast<std::size_t>(row.front())];  // cheapest: costs rise with numbers
      used.insert(used.end(), row.begin(), row.end());
    }
    return {n, cost};
  }

  void branch(std::vector<Row> rows, Chosen chosen) {
    reduce(rows, chosen);
    if (rows.empty()) {
      std::sort(chosen.columns.begin(), chosen.columns.end());
      if (!best_ || chosen.better_than(*best_)) best_ = std::move(chosen);
      return;
    }
    if (best_) {
      const auto [n, cost] = bound(rows);
      const std::size_t total = chosen.columns.size() + n;
      if (total > best_->columns.size()) return;
      if (total == best_->columns.size() && chosen.cost + cost > best_->cost) return;
    }
    step_();
    // Every cover has a column of the shortest row; each branch forbids the columns tried before.
    const Row pivot = rows.front();
    for (const std::int32_t column : pivot) {
      std::vector<Row> rest = rows;
      Chosen with = chosen;
      take(column, rest, with);
      branch(std::move(rest), std::move(with));
      for (Row& row : rows) std::erase(row, column);
      if (std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.empty(); })) break;
    }
  }

  const std::vector<std::int32_t>& cost_;
  const std::function<void()>& step_;
  std::optional<Chosen> best_;
};

}  // namespace

std::vector<std::int32_t> best_choice(const std::vector<std::vector<std::int32_t>>& rows,
                                      const std::vector<std::int32_t>& cost,
                                      const std::function<void()>& step) {
  return CoverSearch(cost, step).run(rows);
}

}  // namespace orderless::reasons
