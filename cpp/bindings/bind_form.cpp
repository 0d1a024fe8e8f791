// _core.reasons.Form: reasons and rules of a tree that the core holds, in few calls.

#include <mutex>
#include <utility>

#include "bindings/bins.hpp"
#include "bindings/calls.hpp"
#include "bindings/cuts.hpp"
#include "bindings/explain.hpp"
#include "bindings/held.hpp"
#include "core/reasons/form.hpp"

namespace orderless::reasons {

using namespace bindings;
using namespace nb::literals;

namespace {

/// A form that threads can share.
class SharedForm {
 public:
  explicit SharedForm(Form form) : form_(std::move(form)) {}

  nb::list find(std::size_t limit, double time_limit) {
    std::vector<std::size_t> counts;
    unlocked([&] {
      const std::lock_guard<std::mutex> alone(lock_);
      for (const BoxList& list : form_.reasons(limit, watch(time_limit))) {
        counts.push_back(list.size());
      }
    });
    found_ = true;
    nb::list out;
    for (const std::size_t n : counts) out.append(n);
    return out;
  }

  nb::list rules(std::size_t class_index, double time_limit) {
    static_cast<void>(reasons(class_index));
    const std::vector<std::int32_t> chosen = unlocked([&] {
      const std::lock_guard<std::mutex> alone(lock_);
      return form_.rules(class_index, watch(time_limit));
    });
    nb::list out;
    for (const std::int32_t i : chosen) out.append(i);
    return out;
  }

  BoxTable table(std::size_t class_index) { return give_boxes(reasons(class_index)); }

  nb::list box(std::size_t class_index, std::size_t i) {
    const BoxList& own = reasons(class_index);
    if (i >= own.size()) throw nb::index_error("there is no such reason");
    nb::list out;
    for (std::size_t s = 0; s < own.n_slots; ++s) out.append(own[i][s]);
    return out;
  }

  nb::object bins() { return give_cut_tree(form_.bins()); }

  nb::object tree() {
    if (!form_.smaller()) return nb::none();
    return nb::cast(hold_copy(form_.smaller()->view()));
  }

 private:
  /// Found once, never changed.
  const BoxList& reasons(std::size_t class_index) {
    if (!found_) throw nb::value_error("the reasons are not found yet");
    const auto& all = form_.reasons(0, {});
    if (class_index >= all.size()) throw nb::index_error("there is no such class");
    return all[class_index];
  }

  Form form_;
  std::mutex lock_;
  bool found_ = false;  // changed with the GIL only
};

nb::object form_of(const HeldTree& tree, const HeldSpace& space, std::int32_t n_classes) {
  std::optional<Form> found =
      unlocked([&] { return Form::of(tree.view(), space, n_classes, poll_signals); });
  if (!found) return nb::none();
  return nb::cast(new SharedForm(std::move(*found)), nb::rv_policy::take_ownership);
}

}  // namespace

void bind_form(nb::module_& m) {
  nb::class_<SharedForm>(m, "Form")
      .def("find", &SharedForm::find, "limit"_a, "time_limit"_a,
           "Find all reasons; how many each class has.")
      .def("rules", &SharedForm::rules, "class_index"_a, "time_limit"_a,
           "The positions of the fewest reasons that cover a class.")
      .def("table", &SharedForm::table, "class_index"_a, "All reasons of a class, as boxes.")
      .def("box", &SharedForm::box, "class_index"_a, "reason"_a, "The slots of one reason.")
      .def("bins", &SharedForm::bins, "The tree over the bins of its function.")
      .def("tree", &SharedForm::tree,
           "The tree without conditions that do not matter; None where all of its own do.");
  m.def("form", &form_of, "tree"_a, "space"_a, "n_classes"_a,
        "What a tree decides; None where it asks about an unordered feature.");
}

}  // namespace orderless::reasons
