// _core.reasons: why one row gets its class, and many rows at once.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "bindings/bins.hpp"
#include "bindings/calls.hpp"
#include "bindings/columns.hpp"
#include "bindings/explain.hpp"
#include "bindings/one_row.hpp"
#include "bindings/record.hpp"
#include "core/reasons/api.hpp"

namespace orderless::reasons {

using namespace bindings;
using namespace nb::literals;

namespace {

Record explained_record;

using Slots = std::vector<std::uint16_t>;
using SlotArray = nb::ndarray<nb::numpy, std::uint16_t, nb::ndim<1>>;

/// Looks at the clock each time, and lets Ctrl-C through now and then.
PollFunction steady(double time_limit) {
  return [watch = Stopwatch(), time_limit, calls = 0U](std::size_t met) mutable {
    if (watch.seconds() > time_limit) throw TimeUp(met);
    if (++calls % 4096 == 0) poll_signals();
  };
}

/// How the values of a feature become bins.
struct Reading {
  std::vector<double> ends;         // ordered: the greatest value of each bin but the last
  std::vector<std::int32_t> group;  // unordered: the bin of each value
  std::size_t place = 0;            // the column that has it
};

/// A tree over the bins of its function, and how rows are read over them.
class Explainer {
 public:
  Explainer(const nb::tuple& nodes, const nb::tuple& bins, const std::vector<Array<double>>& ends,
            const std::vector<Array<std::int32_t>>& groups, const Array<std::int32_t>& places)
      : nodes_(nodes), tree_(nodes_.tree(), bin_features(bins)), whole_(tree_.layout().whole()) {
    for (std::size_t k = 0; k < ends.size(); ++k) {
      const auto end = view(ends[k]);
      const auto group = view(groups[k]);
      reading_.push_back(
          {{end.begin(), end.end()}, {group.begin(), group.end()}, at(view(places)[k])});
    }
  }

  [[nodiscard]] const RowTree& tree() const { return tree_; }

  [[nodiscard]] Slots box(const rows::RowReader::Cells& cells) const {
    Slots out = whole_;
    for (std::size_t k = 0; k < reading_.size(); ++k) {
      using Kind = rows::ReadyTree::Cell::Kind;
      const rows::ReadyTree::Cell& cell = cells[reading_[k].place];
      if (cell.kind == Kind::number) set_numbers(k, cell.number, cell.number, out.data());
      if (cell.kind == Kind::missing) set_missing(k, out.data());
      if (cell.kind == Kind::code) set_code(k, cell.code, out.data());
    }
    return out;
  }

  /// The box of a row; `columns` are by feature of the space, `features` the tree's among them.
  void box(const std::vector<Column>& columns, const std::vector<std::size_t>& features,
           std::size_t row, std::uint16_t* out) const {
    std::ranges::copy(whole_, out);
    for (std::size_t k = 0; k < reading_.size(); ++k) {
      const Column& column = columns[features[k]];
      const std::byte* first = at_row(column.first, column.stride, row);
      const std::byte* second = at_row(column.second, column.second_stride, row);
      switch (column.kind) {
        case Column::Kind::absent:
          break;
        case Column::Kind::f64:
          set_number(k, load<double>(first), out);
          break;
        case Column::Kind::f32:
          set_number(k, static_cast<double>(load<float>(first)), out);
          break;
        case Column::Kind::between:
          set_between(k, load<double>(first), load<double>(second), out);
          break;
        case Column::Kind::code:
          if (load<std::int32_t>(first) >= 0) set_code(k, load<std::int32_t>(first), out);
          break;
        case Column::Kind::among:
          set_among(k, first, out);
      }
    }
  }

 private:
  static const std::byte* at_row(const std::byte* base, std::ptrdiff_t stride, std::size_t row) {
    return base == nullptr ? nullptr : base + stride * static_cast<std::ptrdiff_t>(row);
  }
  template <class T>
  static T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
  std::uint16_t* side(std::size_t k, std::uint16_t* out) const {
    return out + tree_.layout().slot(k);
  }
  [[nodiscard]] bool nan(std::size_t k) const { return tree_.layout().feature(k).nan; }
  [[nodiscard]] std::uint16_t bin(std::size_t k, double x) const {
    const std::vector<double>& ends = reading_[k].ends;
    return static_cast<std::uint16_t>(std::ranges::lower_bound(ends, x) - ends.begin());
  }
  void set_numbers(std::size_t k, double low, double high, std::uint16_t* out) const {
    std::uint16_t* own = side(k, out);
    own[0] = bin(k, low);
    own[1] = low == high ? own[0] : bin(k, high);
    if (nan(k)) own[2] = 0;
  }
  void set_missing(std::size_t k, std::uint16_t* out) const {
    std::uint16_t* own = side(k, out);
    own[0] = 1;
    own[1] = 0;
    own[2] = 1;
  }
  void set_number(std::size_t k, double x, std::uint16_t* out) const {
    if (!std::isnan(x)) return set_numbers(k, x, x, out);
    if (nan(k)) set_missing(k, out);
  }
  void set_between(std::size_t k, double low, double high, std::uint16_t* out) const {
    if (std::isnan(low)) return set_number(k, low, out);
    std::uint16_t* own = side(k, out);
    own[0] = bin(k, low);
    if (!std::isnan(high)) own[1] = bin(k, high);
    if (nan(k)) own[2] = std::isnan(high) ? 1 : 0;
  }
  void set_code(std::size_t k, std::int32_t code, std::uint16_t* out) const {
    std::uint16_t* own = side(k, out);
    std::fill(own, own + tree_.layout().slots_of(k), std::uint16_t{0});
    add_bin(own, at(reading_[k].group[at(code)]));
  }
  void set_among(std::size_t k, const std::byte* allowed, std::uint16_t* out) const {
    std::uint16_t* own = side(k, out);
    std::fill(own, own + tree_.layout().slots_of(k), std::uint16_t{0});
    for (std::size_t v = 0; v < reading_[k].group.size(); ++v) {
      if (allowed[v] != std::byte{0}) add_bin(own, at(reading_[k].group[v]));
    }
  }
  static void add_bin(std::uint16_t* own, std::size_t b) {
    own[b / 16] = static_cast<std::uint16_t>(own[b / 16] | 1U << (b % 16));
  }

  BinNodes nodes_;
  RowTree tree_;
  Slots whole_;
  std::vector<Reading> reading_;
};

std::vector<Wide> wide_costs(const Array<std::uint64_t>& high, const Array<std::uint64_t>& low) {
  std::vector<Wide> out;
  out.reserve(low.size());
  for (std::size_t k = 0; k < low.size(); ++k) out.emplace_back(high.data()[k], low.data()[k]);
  return out;
}

/// One row of an Explainer. Calls from several threads wait for each other.
class ExplainedRow {
 public:
  ExplainedRow(const RowTree& tree, Slots row) : leaves_(tree, std::move(row)) {}

  template <class Use>
  auto locked(Use&& use) {
    return unlocked([&] {
      const std::scoped_lock lock(one_at_a_time_);
      if (!search_) search_.emplace(leaves_);
      return use(*search_);
    });
  }

  [[nodiscard]] const std::vector<std::int32_t>& possible() const { return leaves_.possible(); }
  auto row() const { return give(leaves_.row()); }
  auto unsettled(double time_limit) const {
    return unlocked([&] { return leaves_.unsettled(steady(time_limit)); });
  }
  auto missed() const {
    const std::size_t n = leaves_.tree().n_leaves();
    auto found = unlocked([&] { return leaves_.missed(); });
    return give_shaped(std::move(found), {n, leaves_.n_features()});
  }
  BoxTable leaf_boxes() const { return give_boxes(leaves_.tree().boxes()); }

  /// At most one more reason than the limit, sorted; the time limit is for each.
  BoxTable all(std::size_t limit, double time_limit) {
    return give_boxes(locked([&](RowSearch& search) {
      std::vector<std::pair<std::vector<std::int32_t>, RowSearch::Sides>> found;
      RowSearch::Place place = search.begin();
      while (found.size() <= limit) {
        auto sides = search.next(place, nullptr, steady(time_limit));
        if (!sides) break;
        auto rank = search.rank(*sides);
        found.emplace_back(std::move(rank), std::move(*sides));
      }
      std::ranges::sort(found, {}, [](const auto& own) -> const auto& { return own.first; });
      BoxList list;
      list.n_slots = leaves_.row().size();
      for (const auto& own : found) list.push(search.write(own.second).data());
      return list;
    }));
  }
  SlotArray best(const Array<std::uint64_t>& high, const Array<std::uint64_t>& low,
                 double time_limit) {
    const std::vector<Wide> costs = wide_costs(high, low);
    return give(locked(
        [&](RowSearch& search) { return search.write(search.best(costs, steady(time_limit))); }));
  }
  auto necessary() {
    return locked([&](RowSearch& search) { return search.necessary(); });
  }
  auto relevant(double time_limit) {
    return locked([&](RowSearch& search) { return search.relevant(steady(time_limit)); });
  }
  std::size_t n_looks() {
    return locked([&](RowSearch& search) { return search.n_looks(); });
  }

 private:
  RowLeaves leaves_;
  std::optional<RowSearch> search_;
  std::mutex one_at_a_time_;
};

/// Reasons of a row, one after the other.
class RowReasons {
 public:
  explicit RowReasons(ExplainedRow& row)
      : row_(row), place_(row.locked([&](RowSearch& search) { return search.begin(); })) {}

  nb::object next(double time_limit) {
    auto found = row_.locked([&](RowSearch& search) -> std::optional<Slots> {
      if (!first_) {  // at once, however long the search for the others takes
        if (place_.todo.empty()) return std::nullopt;
        first_ = search.any();
        return search.write(*first_);
      }
      auto sides = search.next(place_, nullptr, steady(time_limit));
      if (sides == first_) sides = search.next(place_, nullptr, steady(time_limit));
      return sides ? std::optional(search.write(*sides)) : std::nullopt;
    });
    return found ? nb::cast(give(std::move(*found))) : nb::none();
  }

 private:
  ExplainedRow& row_;
  RowSearch::Place place_;
  std::optional<RowSearch::Sides> first_;
};

ExplainedRow* read_row(const Explainer& own, const rows::RowReader& reader, nb::handle row) {
  rows::RowReader::Cells cells(reader.n_columns());
  if (!reader.read(row, cells)) return nullptr;
  return new ExplainedRow(own.tree(), own.box(cells));
}

ExplainedRow* box_row(const Explainer& own, const Array<std::uint16_t>& box) {
  if (box.size() != own.tree().layout().n_slots()) {
    throw std::invalid_argument("a box has one side for each feature");
  }
  return new ExplainedRow(own.tree(), Slots(view(box).begin(), view(box).end()));
}

std::vector<std::size_t> places(const Array<std::int32_t>& given) {
  std::vector<std::size_t> out;
  for (const std::int32_t f : view(given)) out.push_back(at(f));
  return out;
}

ExplainedRow* take_row(const Explainer& own, const nb::list& given,
                       const Array<std::int32_t>& features) {
  const Columns columns(given);
  Slots box(own.tree().layout().n_slots());
  own.box(columns.columns, places(features), 0, box.data());
  return new ExplainedRow(own.tree(), std::move(box));
}

/// For every row which of the distinct boxes it is; for these their class, -1 where several are
/// possible, and their shortest reason.
nb::object explain_rows(const Explainer& own, const nb::list& given,
                        const Array<std::int32_t>& features, std::size_t n_rows,
                        double time_limit) {
  const Columns columns(given);
  const std::vector<std::size_t> place = places(features);
  const std::size_t width = own.tree().layout().n_slots();
  std::vector<std::int32_t> which(n_rows), label;
  BoxList boxes, reasons;
  boxes.n_slots = reasons.n_slots = width;
  unlocked([&] {
    const PollFunction poll = steady(time_limit);
    Slots all(n_rows * width);
    std::unordered_map<std::string_view, std::int32_t> seen;
    for (std::size_t row = 0; row < n_rows; ++row) {
      std::uint16_t* box = all.data() + row * width;
      own.box(columns.columns, place, row, box);
      const std::string_view key(reinterpret_cast<const char*>(box), width * sizeof(*box));
      const auto [at_key, fresh] = seen.emplace(key, static_cast<std::int32_t>(label.size()));
      which[row] = at_key->second;
      if (!fresh) continue;
      poll(row);
      RowLeaves leaves(own.tree(), Slots(box, box + width));
      boxes.push(box);
      const bool one = leaves.possible().size() == 1;
      label.push_back(one ? leaves.possible()[0] : -1);
      if (!one) {
        reasons.push(box);
        continue;
      }
      RowSearch search(leaves);
      reasons.push(search.write(search.best(std::vector<Wide>(place.size()), poll)).data());
    }
  });
  return explained_record(give(std::move(which)), give(std::move(label)),
                          give_boxes(std::move(boxes)), give_boxes(std::move(reasons)));
}

}  // namespace

void bind_explain(nb::module_& m) {
  explained_record.define(m, "Explained", {"which", "label", "boxes", "reasons"});
  nb::class_<ExplainedRow>(m, "ExplainedRow")
      .def_prop_ro("possible", &ExplainedRow::possible)
      .def_prop_ro("row", &ExplainedRow::row, nb::rv_policy::automatic)
      .def_prop_ro("n_looks", &ExplainedRow::n_looks)
      .def("unsettled", &ExplainedRow::unsettled, "time_limit"_a)
      .def("missed", &ExplainedRow::missed)
      .def("leaf_boxes", &ExplainedRow::leaf_boxes)
      .def("all", &ExplainedRow::all, "limit"_a, "time_limit"_a)
      .def("best", &ExplainedRow::best, "high"_a, "low"_a, "time_limit"_a)
      .def("necessary", &ExplainedRow::necessary)
      .def("relevant", &ExplainedRow::relevant, "time_limit"_a);
  nb::class_<RowReasons>(m, "RowReasons")
      .def(nb::init<ExplainedRow&>(), "row"_a, nb::keep_alive<1, 2>())
      .def("next", &RowReasons::next, "time_limit"_a);
  nb::class_<Explainer>(m, "Explainer")
      .def(nb::init<const nb::tuple&, const nb::tuple&, const std::vector<Array<double>>&,
                    const std::vector<Array<std::int32_t>>&, const Array<std::int32_t>&>(),
           "nodes"_a, "bins"_a, "ends"_a, "groups"_a, "places"_a)
      .def("read", &read_row, "reader"_a, "row"_a, nb::keep_alive<0, 1>(),
           nb::rv_policy::take_ownership, "None: not read here.")
      .def("box", &box_row, "box"_a, nb::keep_alive<0, 1>(), nb::rv_policy::take_ownership)
      .def("take", &take_row, "columns"_a, "features"_a, nb::keep_alive<0, 1>(),
           nb::rv_policy::take_ownership)
      .def("explain", &explain_rows, "columns"_a, "features"_a, "n_rows"_a, "time_limit"_a);
}

}  // namespace orderless::reasons
