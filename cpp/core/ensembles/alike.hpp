#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace orderless::ensembles {

/// Gives a box by its number; the room may be used for it.
using BoxAt =
    std::function<std::span<const std::uint8_t>(std::size_t i, std::vector<std::uint8_t>& room)>;

/// For each of n boxes the number of the first that is equal to it.
/// Cost: each is looked at once, and once more where two are equal.
[[nodiscard]] std::vector<std::size_t> first_alike(std::size_t n, const BoxAt& box);

}  // namespace orderless::ensembles
