// _core.base: how calls of the core end early, and how it was built. Each exception carries what
// the caller needs to know.

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/calls.hpp"
#include "bindings/zero_one.hpp"
#include "core/base/errors.hpp"
#include "core/base/machine.hpp"

namespace orderless::bindings {

namespace {

// The classes; the module keeps them alive.
PyObject *limit_reached, *time_up, *memory_limit, *count_overflow, *cost_overflow, *out_of_reach,
    *too_deep, *too_many_sets, *too_many_cells, *too_many_leaves, *not_written;

PyObject* define(nb::module_& m, const char* name, PyObject* parent, const char* doc) {
  const std::string full = std::string(PyModule_GetName(m.ptr())) + "." + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), doc, parent, nullptr);
  if (made == nullptr) throw nb::python_error();
  m.attr(name) = nb::steal(made);
  return made;
}

void raise(PyObject* kind, const char* what) { PyErr_SetString(kind, what); }

template <class Value>
void raise(PyObject* kind, const char* what, const char* name, Value value) {
  nb::object error = nb::handle(kind)(what);
  error.attr(name) = value;
  PyErr_SetObject(kind, error.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const TooMany& error) {
    raise(limit_reached, error.what(), "met", error.met);
  } catch (const TimeUp& error) {
    raise(time_up, "the time limit has passed", "met", error.met);
  } catch (const MemoryLimit& error) {
    raise(memory_limit, error.what(), "limit", error.limit);
  } catch (const CountOverflow& error) {
    raise(count_overflow, error.what(), "bits", error.bits);
  } catch (const CostOverflow& error) {
    raise(cost_overflow, error.what());
  } catch (const TooDeep& error) {
    raise(too_deep, error.what());
  } catch (const TooManySets& error) {
    raise(too_many_sets, error.what());
  } catch (const TooManyCells& error) {
    raise(too_many_cells, error.what());
  } catch (const NotWritten& error) {
    raise(not_written, error.what());
  } catch (const TooManyLeaves& error) {
    raise(too_many_leaves, error.what());
  }
}

void refuse_unknown_registers(std::string_view name) {
  for (const std::string_view known : {"", "avx512", "avx2", "popcnt", "portable"}) {
    if (name == known) return;
  }
  throw std::invalid_argument(
      "the environment variable ORDERLESS_REGISTERS must be one of 'avx512', 'avx2', 'popcnt', "
      "'portable', got '" +
      std::string(name) + "': unset it to use the widest registers that the processor has");
}

}  // namespace

void bind_base(nb::module_& m) {
  bind_zero_one(m);
  limit_reached = define(m, "LimitReached", PyExc_RuntimeError, "More than allowed: met.");
  time_up = define(m, "TimeUp", PyExc_TimeoutError, "The time limit has passed; by then: met.");
  memory_limit = define(m, "MemoryLimit", PyExc_MemoryError, "More bytes than allowed: limit.");
  count_overflow = define(m, "CountOverflow", PyExc_OverflowError, "A count passes 2^bits.");
  cost_overflow = define(m, "CostOverflow", PyExc_OverflowError, "An objective passes 2^62.");
  out_of_reach = define(m, "OutOfReach", PyExc_ValueError, "Larger than the algorithm can take.");
  too_deep = define(m, "TooDeep", out_of_reach, "A path with more than 500 questions.");
  too_many_sets = define(m, "TooManySets", out_of_reach, "More sets of values than can be tried.");
  too_many_cells =
      define(m, "TooManyCells", out_of_reach, "More combinations than can be counted.");
  too_many_leaves = define(m, "TooManyLeaves", out_of_reach, "Trees with more than 65535 leaves.");
  not_written = define(m, "NotWritten", out_of_reach, "A graph whose last splits are not listed.");
  nb::register_exception_translator(translate);
  m.attr("compiler") = compiler;
  refuse_unknown_registers(allowed_registers());
  m.attr("registers") = processor().widest();
#if defined(Py_LIMITED_API)
  m.attr("stable_abi") = true;
#else
  m.attr("stable_abi") = false;
#endif
}

}  // namespace orderless::bindings
