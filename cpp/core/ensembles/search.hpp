#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ensembles/dual.hpp"
#include "core/ensembles/watch.hpp"

namespace orderless::ensembles {

/// An objective, and how much of it is wanted at least.
struct Goal {
  Objective objective;
  std::int64_t target;
};

/// How a search ended.
enum class Ending { found, none, out_of_time, out_of_room, too_many };

/// What a cell that reaches all targets is worth: `found` ends the search; `other`: the same leaves
/// are not looked at again; `better`: the first target was raised, or its bin was barred.
enum class Worth { found, other, better };
using Judge = std::function<Worth(std::span<const std::int32_t> cell)>;

/// Looks for a cell that reaches all targets at once and that the judge finds worth it: depth
/// first, by bounds. What cannot reach a target is left out, bin by bin; the rest is cut in two
/// where that costs both halves most.
/// Exact: `none` is a proof. Cost: exponential in the worst case; `watch` ends it.
class Search {
 public:
  Search(const Local& local, std::vector<Goal>& goals, Watch& watch, Judge judge,
         const Barred& barred = {});
  /// For a search that should be short: asked before anything is cut, while the first bounds leave
  /// something. True if it has barred more, so that they are worth another look.
  void before_cuts(std::function<bool()> bars_more) { bars_more_ = std::move(bars_more); }
  [[nodiscard]] Ending run();
  /// After a search that ended early: the largest of the first objective that what was not looked
  /// at can have.
  [[nodiscard]] std::int64_t open_bound() const { return open_bound_; }
  /// After a search that ended early: whether the first bounds leave no such cell with a bin.
  [[nodiscard]] bool ruled_out(std::size_t f, std::size_t bin) const;

 private:
  struct Level {
    Left left;
    std::vector<Dual> duals;         // one for each goal
    std::vector<std::uint8_t> dead;  // by bin
    std::vector<std::uint8_t> edge;  // by bin: it is told apart from the one before
  };
  struct Cut {
    std::size_t feature = 0;
    std::size_t bin = 0;        // the bins up to it, or it alone
    bool alone = false;         // of an unordered feature
    double gain = -1;           // what it costs both halves
    bool second_first = false;  // the other half is the better one
  };

  [[nodiscard]] bool explore(std::size_t depth);
  [[nodiscard]] bool stopped(std::size_t depth);
  [[nodiscard]] bool bar(Level& level) const;
  [[nodiscard]] bool reduce(Level& level, int sweeps);
  [[nodiscard]] std::size_t tightest(const Level& level) const;
  [[nodiscard]] bool look(std::size_t depth, bool& done);
  [[nodiscard]] std::vector<std::int32_t> likely(const Level& level) const;
  [[nodiscard]] bool reaches(std::span<const std::int32_t> cell) const;
  [[nodiscard]] bool without(std::size_t depth, std::span<const std::int32_t> cell);
  [[nodiscard]] bool halves(std::size_t depth, const Cut& cut);
  [[nodiscard]] Cut best_cut(Level& level);
  static void find_edges(Level& level);
  [[nodiscard]] bool take(const Level& from, std::span<const std::uint8_t> outside, Level& to);
  [[nodiscard]] Level& child(std::size_t depth);
  void end(Ending ending);

  const Local& local_;
  std::vector<Goal>& goals_;
  Watch& watch_;
  Judge judge_;
  Barred barred_;
  std::function<bool()> bars_more_;
  Words words_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<std::int32_t> number_, before_;
  std::vector<double> below_, above_;
  std::size_t n_judged_ = 0, n_nodes_ = 0;
  Ending ending_ = Ending::none;
  std::int64_t open_bound_;
};

}  // namespace orderless::ensembles
