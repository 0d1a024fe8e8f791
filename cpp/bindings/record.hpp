#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <utility>

namespace orderless::bindings {

namespace nb = nanobind;

/// A NamedTuple class of a submodule: what a function gives has names, not positions.
class Record {
 public:
  void define(nb::module_& m, const char* name, std::initializer_list<const char*> fields) {
    nb::list names;
    for (const char* field : fields) names.append(field);
    m.attr(name) = nb::module_::import_("collections")
                       .attr("namedtuple")(name, names, nb::arg("module") = m.attr("__name__"));
    class_ = nb::handle(m.attr(name).ptr());  // which the module keeps alive
  }

  template <class... Parts>
  [[nodiscard]] nb::object operator()(Parts&&... parts) const {
    return class_(std::forward<Parts>(parts)...);
  }

 private:
  nb::handle class_;
};

/// Reads a field of what comes in: a NamedTuple, too.
template <class Value>
void read(const nb::object& record, const char* field, Value& into) {
  into = nb::cast<Value>(record.attr(field));
}

}  // namespace orderless::bindings
