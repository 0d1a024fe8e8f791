#pragma once

// Trees as they come: arrays of nodes over domains, and the boxes of their leaves.
//
// Promises: a TreeView owns nothing and is never changed. `prune` drops what no row can reach.
//
// Invariants: node 0 is the root; no side of a Box is empty.
//
// Cost: linear in the nodes; walks are without recursion, so depth is limited by memory alone.

#include "core/tree/held.hpp"  // IWYU pragma: export
#include "core/tree/tree.hpp"  // IWYU pragma: export
