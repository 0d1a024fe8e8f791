#include "core/tree/flat.hpp"

namespace orderless {

std::size_t FlatTrees::add_leaf(std::int32_t says) {
  column.push_back(-1);
  label.push_back(says);
  false_child.push_back(-1);
  return column.size() - 1;
}

std::size_t FlatTrees::add_split(std::uint32_t asks) {
  column.push_back(static_cast<std::int32_t>(asks));
  label.push_back(-1);
  false_child.push_back(-1);
  return column.size() - 1;
}

void FlatTrees::begin_false(std::size_t node) {
  false_child[node] =
      static_cast<std::int32_t>(static_cast<std::int64_t>(column.size()) - start.back());
}

}  // namespace orderless
