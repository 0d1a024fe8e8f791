// _core.reasons.Form: reasons and rules of a tree that the core holds, in few calls.

#include <algorithm>
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

/// A form that threads can share: what changes it is done alone; nothing does once its reasons are
/// found and its bins are those of the function.
class SharedForm {
 public:
  SharedForm(nb::object tree, nb::object space, Form form)
      : tree_(std::move(tree)), space_(std::move(space)), form_(std::move(form)) {}

  nb::list find(std::size_t limit, double time_limit) {
    std::vector<std::size_t> start{0};
    unlocked([&] {
      const std::lock_guard<std::mutex> alone(lock_);
      for (const BoxList& list : form_.reasons(limit, watch(time_limit), poll_signals)) {
        start.push_back(start.back() + list.size());
      }
    });
    nb::list out;
    for (const std::size_t first : start) out.append(first);
    start_ = std::move(start);
    return out;
  }

  nb::list rules(double time_limit) {
    check_found();
    nb::list out;
    for (std::size_t c = 0; c + 1 < start_.size(); ++c) {
      std::vector<std::int32_t> chosen;
      const bool proven = unlocked([&] {
        const std::lock_guard<std::mutex> alone(lock_);
        try {
          chosen = form_.rules(c, watch(time_limit));
        } catch (const TimeUp&) {
          return false;
        }
        return true;
      });
      if (!proven) break;
      nb::list own;
      for (const std::int32_t i : chosen) own.append(start_[c] + static_cast<std::size_t>(i));
      out.append(own);
    }
    return out;
  }

  BoxTable table(std::size_t class_index) {
    check_found();
    if (class_index + 1 >= start_.size()) throw nb::index_error("there is no such class");
    settle();
    return give_boxes(form_.found()[class_index]);
  }

  nb::list box(std::size_t reason) {
    check_found();
    if (reason >= start_.back()) throw nb::index_error("there is no such reason");
    settle();
    const auto after = std::upper_bound(start_.begin(), start_.end(), reason);
    const auto c = static_cast<std::size_t>(after - start_.begin()) - 1;
    const BoxList& own = form_.found()[c];
    nb::list out;
    for (std::size_t s = 0; s < own.n_slots; ++s) out.append(own[reason - start_[c]][s]);
    return out;
  }

  nb::object bins() {
    settle();
    return give_cut_tree(form_.bins());
  }

  nb::object tree() {
    settle();
    if (!form_.smaller()) return nb::none();
    return nb::cast(hold_copy(form_.smaller()->view()));
  }

 private:
  void check_found() const {
    if (start_.empty()) throw nb::value_error("the reasons are not found yet");
  }

  void settle() {
    if (settled_) return;
    unlocked([&] {
      const std::lock_guard<std::mutex> alone(lock_);
      form_.settle(poll_signals);
    });
    settled_ = true;
  }

  nb::object tree_, space_;  // of which the form has views
  Form form_;
  std::mutex lock_;
  // Changed with the GIL only.
  std::vector<std::size_t> start_;  // by class its first reason, and how many there are in all
  bool settled_ = false;
};

nb::object form_of(nb::handle_t<HeldTree> tree, nb::handle_t<HeldSpace> space,
                   std::int32_t n_classes) {
  const auto& own = nb::cast<const HeldTree&>(tree);
  const auto& features = nb::cast<const HeldSpace&>(space);
  std::optional<Form> found = unlocked([&] { return Form::of(own.view(), features, n_classes); });
  if (!found) return nb::none();
  return nb::cast(new SharedForm(nb::borrow(tree), nb::borrow(space), std::move(*found)),
                  nb::rv_policy::take_ownership);
}

}  // namespace

void bind_form(nb::module_& m) {
  nb::class_<SharedForm>(m, "Form")
      .def("find", &SharedForm::find, "limit"_a, "time_limit"_a,
           "Find all reasons; where those of each class start, and how many there are.")
      .def("rules", &SharedForm::rules, "time_limit"_a,
           "Of each class the fewest reasons that cover it; it ends where time was up.")
      .def("table", &SharedForm::table, "class_index"_a, "All reasons of a class, as boxes.")
      .def("box", &SharedForm::box, "reason"_a,
           "The slots of one reason, counted over all classes.")
      .def("bins", &SharedForm::bins, "The tree over the bins of its function.")
      .def("tree", &SharedForm::tree,
           "The tree without conditions that do not matter; None where all of its own do.");
  m.def("form", &form_of, "tree"_a, "space"_a, "n_classes"_a,
        "What a tree decides; None where it asks about an unordered feature.");
}

}  // namespace orderless::reasons
