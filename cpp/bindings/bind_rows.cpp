// _core.rows: what rows with unknown values reach.

#include <algorithm>
#include <span>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/columns.hpp"
#include "bindings/one_row.hpp"
#include "bindings/record.hpp"
#include "core/rows/api.hpp"

namespace orderless::rows {

using namespace bindings;
using namespace nb::literals;

namespace {

using Bytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Record reached_record, first_record, ends_record;

nb::object reach_rows(const nb::tuple& arrays, const nb::tuple& domain_arrays,
                      const Array<double>& threshold, const nb::list& given, std::size_t n_rows,
                      std::size_t n_classes, bool all_classes) {
  const Nodes nodes(arrays);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  const Columns columns(given);
  std::vector<std::int32_t> leaf(n_rows), label(n_rows);
  std::vector<std::uint8_t> possible(all_classes ? n_rows * n_classes : 0);
  unlocked([&] {
    reach(nodes.tree(), domains, view(threshold), columns.columns, n_rows, n_classes,
          {leaf, label, possible}, poll_signals);
  });
  return reached_record(give(std::move(leaf)), give(std::move(label)), give(std::move(possible)));
}

auto decide_rows(const nb::tuple& arrays, const nb::tuple& domain_arrays,
                 const Array<double>& threshold, const nb::list& given, std::size_t n_rows,
                 std::size_t n_threads) {
  const Nodes nodes(arrays);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  const Columns columns(given);
  std::vector<std::int32_t> label(n_rows);
  unlocked([&] {
    decide(nodes.tree(), domains, view(threshold), columns.columns, n_rows, label, n_threads,
           poll_signals);
  });
  return give(std::move(label));
}

nb::object ends_of_rows(const nb::tuple& arrays, const nb::tuple& domain_arrays,
                        const Array<double>& threshold, const nb::list& given, std::size_t n_rows,
                        std::size_t n_threads) {
  const Nodes nodes(arrays);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  const Columns columns(given);
  std::vector<std::int32_t> low(n_rows), high(n_rows);
  const auto take = [&](std::size_t first, std::span<const std::int32_t> some_low,
                        std::span<const std::int32_t> some_high) {
    std::ranges::copy(some_low, low.data() + first);
    std::ranges::copy(some_high, high.data() + first);
  };
  unlocked([&] {
    ends(nodes.tree(), domains, view(threshold), columns.columns, n_rows, true, n_threads,
         poll_signals, take);
  });
  return ends_record(give(std::move(low)), give(std::move(high)));
}

void label_rows(const nb::tuple& arrays, const nb::tuple& domain_arrays,
                const Array<double>& threshold, const nb::list& given, std::size_t n_rows,
                std::size_t n_threads, const Array<std::uint8_t>& items, std::size_t item_size,
                const Bytes& data, const Bytes& hidden) {
  if (data.size() != n_rows * item_size || hidden.size() != n_rows) {
    throw std::invalid_argument("data and hidden must have room for every row");
  }
  const Nodes nodes(arrays);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  const Columns columns(given);
  const LabelBytes out{std::as_bytes(view(items)), item_size,
                       reinterpret_cast<std::byte*>(data.data()), hidden.data()};
  const auto take = [&](std::size_t first, std::span<const std::int32_t> some) {
    out.write(first, some);
  };
  unlocked([&] {
    decide(nodes.tree(), domains, view(threshold), columns.columns, n_rows, n_threads, poll_signals,
           take);
  });
}

template <class T, class Word>
void known_numbers(const Array<T>& numbers, const Array<std::uint8_t>& known, std::size_t first,
                   const nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& to) {
  const std::size_t n = numbers.size();
  if (to.size() != n || first > 8 * known.size() || n > 8 * known.size() - first) {
    throw std::invalid_argument("there must be a bit and a place for every number");
  }
  unlocked([&] { copy_known<T, Word>(view(numbers), view(known), first, to.data()); });
}

nb::object first_determined_by(const nb::tuple& arrays, const Array<std::int64_t>& start,
                               const nb::tuple& domain_arrays, const Array<double>& threshold,
                               const nb::list& given, std::size_t n_rows) {
  const Nodes nodes(arrays);
  const std::vector<Domain> domains = read_domains(domain_arrays);
  const Columns columns(given);
  std::vector<std::int32_t> tree(n_rows), label(n_rows);
  unlocked([&] {
    first_determined({nodes.tree(), view(start)}, domains, view(threshold), columns.columns, n_rows,
                     {tree, label}, poll_signals);
  });
  return first_record(give(std::move(tree)), give(std::move(label)));
}

auto settling(const Array<std::int32_t>& start, const Table<std::uint64_t>& sides,
              const Array<std::int32_t>& label, const Array<std::int32_t>& reach,
              const Table<std::uint8_t>& reached, const Table<std::uint64_t>& known,
              std::size_t limit, double time_limit) {
  const std::size_t n_kinds = reached.shape(0);
  const OpenLeaves leaves{sides.shape(1), view(start), view(sides), view(label), view(reach)};
  if (reached.shape(1) != label.size() || sides.shape(0) != label.size() ||
      (known.size() != 0 && known.size() != n_kinds * sides.shape(1))) {
    throw std::invalid_argument("leaves, kinds and words must be as many in all arrays");
  }
  Words found;
  unlocked([&] {
    for (std::size_t kind = 0; kind < n_kinds; ++kind) {
      poll_signals();
      const auto allowed = known.size() == 0
                               ? std::span<const std::uint64_t>()
                               : view(known).subspan(kind * leaves.n_words, leaves.n_words);
      const Words first =
          settling_set(leaves, view(reached).subspan(kind * label.size(), label.size()), allowed,
                       limit, watch(time_limit));
      found.insert(found.end(), first.begin(), first.end());
    }
  });
  return give_shaped(std::move(found), {n_kinds, leaves.mask_words()});
}

}  // namespace

void bind(nb::module_& m) {
  bind_one_row(m);
  reached_record.define(m, "Reached", {"leaf", "label", "possible"});
  ends_record.define(m, "Ends", {"low", "high"});
  first_record.define(m, "FirstDetermined", {"tree", "label"});
  m.def("reach", &reach_rows, "nodes"_a, "domains"_a, "threshold"_a, "columns"_a, "n_rows"_a,
        "n_classes"_a, "all_classes"_a, "By row; -1 where several.");
  m.def("decide", &decide_rows, "nodes"_a, "domains"_a, "threshold"_a, "columns"_a, "n_rows"_a,
        "n_threads"_a, "The class by row, -1 where it is not determined.");
  m.def("ends", &ends_of_rows, "nodes"_a, "domains"_a, "threshold"_a, "columns"_a, "n_rows"_a,
        "n_threads"_a, "The least and the greatest class by row that it can reach.");
  m.def("label", &label_rows, "nodes"_a, "domains"_a, "threshold"_a, "columns"_a, "n_rows"_a,
        "n_threads"_a, "items"_a, "item_size"_a, "data"_a, "hidden"_a,
        "Write the label by row into data, as bytes, and 1 into hidden where it is not "
        "determined.");
  constexpr const char* known_words =
      "Copy numbers, with NaN where a bit is not set, the lowest of the first byte first.";
  m.def("copy_known", &known_numbers<double, std::uint64_t>, "numbers"_a, "known"_a, "first"_a,
        "to"_a, known_words);
  m.def("copy_known", &known_numbers<float, std::uint32_t>, "numbers"_a, "known"_a, "first"_a,
        "to"_a, known_words);
  m.def("first_determined", &first_determined_by, "nodes"_a, "start"_a, "domains"_a, "threshold"_a,
        "columns"_a, "n_rows"_a, "By row the first tree that is determined; -1 where none is.");
  m.def("settling_sets", &settling, "start"_a, "sides"_a, "label"_a, "reach"_a, "reached"_a,
        "known"_a, "limit"_a, "time_limit"_a,
        "By kind of row the first of the smallest sets of features that settle it, as bits.");
}

}  // namespace orderless::rows
