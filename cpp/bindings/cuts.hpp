#pragma once

#include "bindings/arrays.hpp"
#include "core/bins/bins.hpp"

namespace orderless::bindings {

/// Hands a tree over bins to Python: positions, cuts, layout and nodes as tuples of arrays.
nb::object give_cut_tree(CutTree tree);

}  // namespace orderless::bindings
