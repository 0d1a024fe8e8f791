#include "core/reasons/setcover.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "core/base/bits.hpp"
#include "core/reasons/prices.hpp"

namespace orderless::reasons {

namespace {

constexpr int first_rounds = 200, later_rounds = 30;  // of improving prices

using Rows = std::vector<CoverRow>;

bool within(const Words& a, const Words& b) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & ~b[w]) != 0) return false;
  }
  return true;
}

bool has(const CoverRow& row, std::int32_t column) {
  return std::ranges::binary_search(row.columns, column);
}

/// How many columns, and what they cost together: fewer columns are always better.
struct Size {
  std::int64_t n = 0;
  std::int64_t cost = 0;

  auto operator<=>(const Size&) const = default;
  Size operator+(const Size& other) const { return {n + other.n, cost + other.cost}; }
  Size operator-(const Size& other) const { return {n - other.n, cost - other.cost}; }
};

struct Chosen {
  Size size;
  std::vector<std::int32_t> columns;  // sorted when it is complete

  void add(std::int32_t column, std::int32_t cost) {
    columns.push_back(column);
    size = size + Size{1, cost};
  }
  void add(const Chosen& more) {
    columns.insert(columns.end(), more.columns.begin(), more.columns.end());
    std::ranges::sort(columns);
    size = size + more.size;
  }
  [[nodiscard]] bool better_than(const Chosen& other) const {
    return size != other.size ? size < other.size : columns < other.columns;
  }
};

class CoverSearch {
 public:
  CoverSearch(const std::vector<std::int32_t>& cost, const std::function<void()>& step)
      : cost_(cost), step_(step) {}

  std::vector<std::int32_t> run(Rows rows) {
    Chosen chosen;
    reduce(rows, chosen);
    const Size any = greedy(rows);  // nothing is left almost always
    chosen.add(solve(std::move(rows), any, first_rounds).value_or(Chosen{}));
    return chosen.columns;
  }

 private:
  [[nodiscard]] std::int32_t cost_of(std::int32_t column) const { return cost_[at(column)]; }

  void take(std::int32_t column, Rows& rows, Chosen& chosen) const {
    chosen.add(column, cost_of(column));
    std::erase_if(rows, [column](const CoverRow& row) { return has(row, column); });
  }

  /// Some cover: always the column that is in most rows.
  [[nodiscard]] Size greedy(Rows rows) const {
    Chosen chosen;
    while (!rows.empty()) {
      std::map<std::int32_t, std::size_t> count;
      for (const CoverRow& row : rows) {
        for (const std::int32_t column : row.columns) ++count[column];
      }
      const auto most = std::ranges::max_element(count, {}, [](const auto& c) { return c.second; });
      take(most->first, rows, chosen);
    }
    return chosen.size;
  }

  /// Applies the reductions until nothing changes.
  void reduce(Rows& rows, Chosen& chosen) const {
    while (true) {
      const auto forced =
          std::ranges::find_if(rows, [](const CoverRow& row) { return row.columns.size() == 1; });
      if (forced != rows.end()) {
        take(forced->columns.front(), rows, chosen);
        continue;
      }
      if (drop_rows(rows)) continue;
      if (drop_columns(rows)) continue;
      return;
    }
  }

  /// A row that contains another is covered with it.
  static bool drop_rows(Rows& rows) {
    std::ranges::sort(rows, [](const CoverRow& a, const CoverRow& b) {
      return a.columns.size() != b.columns.size() ? a.columns.size() < b.columns.size()
                                                  : a.columns < b.columns;
    });
    const std::size_t before = rows.size();
    Rows kept;
    for (CoverRow& row : rows) {
      const bool covered = std::ranges::any_of(kept, [&](const CoverRow& other) {
        return std::ranges::includes(row.columns, other.columns);
      });
      if (!covered) kept.push_back(std::move(row));
    }
    rows = std::move(kept);
    return rows.size() != before;
  }

  /// A column is superfluous if an earlier one, which costs no more, is in all of its rows.
  static bool drop_columns(Rows& rows) {
    std::map<std::int32_t, Words> where;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const std::int32_t column : rows[r].columns) {
        Words& bits = where[column];
        bits.resize(words_for(rows.size()), 0);
        set_bit(bits, r);
      }
    }
    std::map<Words, std::int32_t> first;  // equal columns: the earliest stays
    for (const auto& [column, bits] : where) first.emplace(bits, column);
    std::vector<std::pair<std::int32_t, const Words*>> left;
    left.reserve(first.size());
    for (const auto& [bits, column] : first) left.emplace_back(column, &bits);
    std::ranges::sort(left);
    std::vector<std::pair<std::int32_t, const Words*>> kept;
    for (const auto& [column, bits] : left) {
      const bool superfluous = std::ranges::any_of(
          kept, [b = bits](const auto& other) { return within(*b, *other.second); });
      if (!superfluous) kept.emplace_back(column, bits);
    }
    if (kept.size() == where.size()) return false;
    std::vector<std::int32_t> stay;
    stay.reserve(kept.size());
    for (const auto& [column, _] : kept) stay.push_back(column);
    keep_columns(rows, stay);
    return true;
  }

  static void keep_columns(Rows& rows, const std::vector<std::int32_t>& stay) {
    for (CoverRow& row : rows) {
      std::erase_if(row.columns,
                    [&](std::int32_t column) { return !std::ranges::binary_search(stay, column); });
    }
  }

  /// Whether covers of at most `most` are possible. Leaves out columns that none of them has.
  bool possible(Rows& rows, const Size& most, int rounds, bool& fewer) const {
    const PricedBound count = bound_count(rows, most.n, rounds);
    const std::int64_t least = PricedBound::up(count.value);
    if (least > most.n) return false;
    std::vector<std::int32_t> stay;
    for (std::size_t c = 0; c < count.columns.size(); ++c) {
      const std::int64_t with = count.value + std::max<std::int64_t>(0, count.reduced[c]);
      if (PricedBound::up(with) <= most.n) stay.push_back(count.columns[c]);
    }
    fewer = stay.size() < count.columns.size();
    if (fewer) {
      keep_columns(rows, stay);
      return true;
    }
    if (least < most.n) return true;  // a cover of fewer columns may cost anything
    const PricedBound cost = bound_cost(rows, cost_, most.n, most.cost, rounds);
    if (PricedBound::up(cost.value) > most.cost) return false;
    stay.clear();
    for (std::size_t c = 0; c < cost.columns.size(); ++c) {
      const std::int64_t with = cost.value + std::max<std::int64_t>(0, cost.reduced[c]);
      if (PricedBound::up(with) <= most.cost) stay.push_back(cost.columns[c]);
    }
    fewer = stay.size() < cost.columns.size();
    if (fewer) keep_columns(rows, stay);
    return true;
  }

  /// Rows that have no column in common with the others are a problem of their own.
  static std::vector<Rows> apart(const Rows& rows) {
    std::vector<std::size_t> group(rows.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    const auto root = [&](std::size_t r) {
      while (group[r] != r) r = group[r] = group[group[r]];
      return r;
    };
    std::map<std::int32_t, std::size_t> owner;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const std::int32_t column : rows[r].columns) {
        const auto [place, is_new] = owner.emplace(column, r);
        if (!is_new) group[root(r)] = root(place->second);
      }
    }
    std::map<std::size_t, Rows> parts;
    for (std::size_t r = 0; r < rows.size(); ++r) parts[root(r)].push_back(rows[r]);
    std::vector<Rows> out;
    out.reserve(parts.size());
    for (auto& [_, part] : parts) out.push_back(std::move(part));
    return out;
  }

  /// The best cover of size at most `most`; none if there is none.
  std::optional<Chosen> solve(Rows rows, Size most, int rounds) {
    Chosen chosen;
    for (bool fewer = true; fewer;) {
      reduce(rows, chosen);
      if (chosen.size > most) return std::nullopt;
      if (rows.empty()) {
        std::ranges::sort(chosen.columns);
        return chosen;
      }
      if (!possible(rows, most - chosen.size, rounds, fewer)) return std::nullopt;
      if (std::ranges::any_of(rows, [](const CoverRow& row) { return row.columns.empty(); })) {
        return std::nullopt;
      }
    }
    const Size left = most - chosen.size;
    std::vector<Rows> parts = apart(rows);
    auto rest = parts.size() > 1 ? each(std::move(parts), left) : branch(std::move(rows), left);
    if (!rest) return std::nullopt;
    chosen.add(*rest);
    return chosen;
  }

  /// Problems that have nothing to do with each other: the best of each, since the first of two
  /// choices is decided by the first column that only one of them has.
  std::optional<Chosen> each(std::vector<Rows> parts, Size most) {
    std::vector<std::int64_t> least;
    std::int64_t all = 0;
    for (Rows& part : parts) {
      const std::int64_t rows = static_cast<std::int64_t>(part.size());
      least.push_back(
          std::max<std::int64_t>(1, PricedBound::up(bound_count(part, rows, later_rounds).value)));
      all += least.back();
    }
    Chosen chosen;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      all -= least[i];
      const std::int64_t n = most.n - chosen.size.n - all;
      auto own =
          solve(std::move(parts[i]), {n, std::numeric_limits<std::int32_t>::max()}, later_rounds);
      if (!own) return std::nullopt;
      chosen.add(*own);
    }
    if (chosen.size > most) return std::nullopt;
    return chosen;
  }

  /// Every cover has a column of the shortest row; each branch forbids the columns tried before.
  std::optional<Chosen> branch(Rows rows, Size most) {
    step_();
    std::optional<Chosen> best;
    const std::vector<std::int32_t> pivot = rows.front().columns;
    for (const std::int32_t column : pivot) {
      Rows rest = rows;
      Chosen with;
      take(column, rest, with);
      if (with.size <= most) {
        if (auto more = solve(std::move(rest), most - with.size, later_rounds)) {
          with.add(*more);
          if (!best || with.better_than(*best)) {
            most = with.size;
            best = std::move(with);
          }
        }
      }
      for (CoverRow& row : rows) std::erase(row.columns, column);
      if (std::ranges::any_of(rows, [](const CoverRow& row) { return row.columns.empty(); })) break;
    }
    return best;
  }

  const std::vector<std::int32_t>& cost_;
  const std::function<void()>& step_;
};

}  // namespace

std::vector<std::int32_t> best_choice(const std::vector<std::vector<std::int32_t>>& rows,
                                      const std::vector<std::int32_t>& cost,
                                      const std::function<void()>& step) {
  Rows given;
  for (const auto& row : rows) given.push_back({row});
  return CoverSearch(cost, step).run(std::move(given));
}

}  // namespace orderless::reasons
