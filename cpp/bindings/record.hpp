#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

namespace orderless::bindings {

namespace nb = nanobind;

/// A NamedTuple class of a submodule: what a function gives has names, not positions.
class Record {
 public:
  void define(nb::module_& m, const char* name, std::initializer_list<const char*> fields) {
    nb::list names;
    for (const char* field : fields) names.append(field);
    fields_ = fields;
    m.attr(name) = nb::module_::import_("collections")
                       .attr("namedtuple")(name, names, nb::arg("module") = m.attr("__name__"));
    class_ = nb::handle(m.attr(name).ptr());  // which the module keeps alive
  }

  template <class... Parts>
  [[nodiscard]] nb::object operator()(Parts&&... parts) const {
    return class_(std::forward<Parts>(parts)...);
  }

  [[nodiscard]] bool made(nb::handle record) const { return record.type().is(class_); }
  [[nodiscard]] const char* field(std::size_t place) const { return fields_.at(place); }

 private:
  nb::handle class_;
  std::vector<const char*> fields_;
};

/// Reads the fields of what comes in, a NamedTuple too, one after the other: to look for each by
/// its name takes longer than to search for a few trees.
class Fields {
 public:
  Fields(const Record& record, nb::handle given) : record_(record) {
    if (!record.made(given)) throw nb::type_error("not the record that is read here");
    values_ = nb::borrow<nb::tuple>(given);
  }

  template <class Value>
  void read(const char* field, Value& into) {
    if (std::strcmp(record_.field(next_), field) != 0) throw nb::attribute_error(field);
    into = nb::cast<Value>(values_[next_++]);
  }

 private:
  const Record& record_;
  nb::tuple values_;
  std::size_t next_ = 0;
};

}  // namespace orderless::bindings
