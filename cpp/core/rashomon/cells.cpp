#include <algorithm>

#include "core/rashomon/kernels.hpp"
#include "core/rashomon/widths.hpp"

// The errors of leaves in the cells of two and of three columns, for all last columns at once.
namespace orderless::rashomon {

namespace {

/// Counts of one class in the eight cells of three columns, for one k.
struct Eight {
  std::int64_t cell[8];
};

ORDERLESS_INLINE Eight eight(std::int64_t t, std::int64_t ik, std::int64_t jk, std::int64_t k,
                             std::int64_t ij, std::int64_t i, std::int64_t j, std::int64_t n) {
  return {{t, ij - t, ik - t, i - ij - ik + t, jk - t, j - ij - jk + t, k - ik - jk + t,
           n - i - j - k + ij + ik + jk - t}};
}

ORDERLESS_INLINE Eight eight(const Triples& t, std::size_t c, std::size_t k) {
  const std::size_t at = c * t.stride + k;
  return eight(t.n3[at], t.n2i[at], t.n2j[at], t.n1[at], t.nij[c], t.ni[c], t.nj[c], t.n[c]);
}

/// Counts of one class in the four cells of two columns, for one k.
struct Four {
  std::int64_t cell[4];
};

ORDERLESS_INLINE Four four(const Splits& t, std::size_t c, std::size_t k) {
  const std::int64_t a = t.n2[c * t.stride + k], b = t.n1[c * t.stride + k] - a;
  return {{a, t.ni[c] - a, b, t.n[c] - t.ni[c] - b}};
}

/// cell[4 si + 2 sj + sk], errors.
ORDERLESS_INLINE void lower(const std::int64_t* e, std::size_t k, std::size_t stride,
                            std::int64_t* ij, std::int64_t* ik, std::int64_t* jk) {
  for (std::size_t s = 0; s < 4; ++s) {
    const std::int64_t over_k = e[2 * s] + e[2 * s + 1];
    ij[s] = over_k < ij[s] ? over_k : ij[s];
    const std::size_t si = s / 2, sk = s % 2;
    const std::int64_t over_j = e[4 * si + sk] + e[4 * si + 2 + sk];
    std::int64_t& at_ik = ik[s * stride + k];
    at_ik = over_j < at_ik ? over_j : at_ik;
    const std::int64_t over_i = e[s] + e[4 + s];
    std::int64_t& at_jk = jk[s * stride + k];
    at_jk = over_i < at_jk ? over_i : at_jk;
  }
}

/// Errors in n cells where they do not follow from two weights, for the columns begin .. end: all
/// weight but that of the heaviest class. `room` holds sums, and the heaviest after them.
template <std::size_t n, class Cells>
ORDERLESS_INLINE void count_classes(const Cells& cells, std::size_t n_classes, std::size_t stride,
                                    std::size_t begin, std::size_t end, std::int64_t* room) {
  std::int64_t* sum = room;
  std::int64_t* most = room + n * stride;
  for (std::size_t c = 0; c < n_classes; ++c) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto a = cells(c, k);
      for (std::size_t s = 0; s < n; ++s) {
        const std::int64_t before = c == 0 ? 0 : sum[s * stride + k];
        const std::int64_t top = c == 0 ? 0 : most[s * stride + k];
        sum[s * stride + k] = before + a.cell[s];
        most[s * stride + k] = a.cell[s] > top ? a.cell[s] : top;
      }
    }
  }
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t k = begin; k < end; ++k) sum[s * stride + k] -= most[s * stride + k];
  }
}

/// The same for distances from a median: between two numbers, as many as rows on the lighter side.
/// `room` holds the errors, the weight up to the number at hand, and all weight.
template <std::size_t n, class Cells>
ORDERLESS_INLINE void count_distances(const Cells& cells, const std::int64_t* gaps,
                                      std::size_t n_classes, std::size_t stride, std::size_t begin,
                                      std::size_t end, std::int64_t* room) {
  std::int64_t* sum = room;
  std::int64_t* up_to = room + n * stride;
  std::int64_t* all = room + 2 * n * stride;
  std::fill(room, room + 3 * n * stride, 0);
  for (std::size_t c = 0; c < n_classes; ++c) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto a = cells(c, k);
      for (std::size_t s = 0; s < n; ++s) all[s * stride + k] += a.cell[s];
    }
  }
  for (std::size_t c = 0; c + 1 < n_classes; ++c) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto a = cells(c, k);
      for (std::size_t s = 0; s < n; ++s) {
        const std::int64_t below = up_to[s * stride + k] + a.cell[s];
        const std::int64_t above = all[s * stride + k] - below;
        up_to[s * stride + k] = below;
        sum[s * stride + k] += gaps[c] * (below < above ? below : above);
      }
    }
  }
}

template <std::size_t n, class Cells>
ORDERLESS_INLINE void count_errors(const Cells& cells, const Target& target, std::size_t n_classes,
                                   std::size_t stride, std::size_t begin, std::size_t end,
                                   std::int64_t* room) {
  if (target.loss == Loss::absolute) {
    count_distances<n>(cells, target.gaps.data(), n_classes, stride, begin, end, room);
  } else {
    count_classes<n>(cells, n_classes, stride, begin, end, room);
  }
}

ORDERLESS_INLINE void lower_triples_loop(const Triples& t) {
  std::int64_t ij[4] = {t.ij[0], t.ij[1], t.ij[2], t.ij[3]};
  std::int64_t* ORDERLESS_ALONE ik = t.ik;
  std::int64_t* ORDERLESS_ALONE jk = t.jk;
  const std::size_t stride = t.stride;
  if (t.target.loss == Loss::squared) {
    const SquaredErrors errors(t.target);
    for (std::size_t k = t.begin; k < t.end; ++k) {
      const Eight weight = eight(t, 0, k), total = eight(t, 1, k);
      for (std::size_t s = 0; s < 8; ++s) {
        t.room[s * stride + k] = errors.of(weight.cell[s], total.cell[s]);
      }
    }
  } else if (t.target.loss == Loss::classes && t.n_classes == 2) {
    for (std::size_t k = t.begin; k < t.end; ++k) {
      const Eight a = eight(t, 0, k), b = eight(t, 1, k);
      std::int64_t e[8];
      for (std::size_t s = 0; s < 8; ++s) e[s] = a.cell[s] < b.cell[s] ? a.cell[s] : b.cell[s];
      lower(e, k, stride, ij, ik, jk);
    }
    std::copy(ij, ij + 4, t.ij);
    return;
  } else {
    const auto cells = [&](std::size_t c, std::size_t k) { return eight(t, c, k); };
    count_errors<8>(cells, t.target, t.n_classes, stride, t.begin, t.end, t.room);
  }
  for (std::size_t k = t.begin; k < t.end; ++k) {
    std::int64_t e[8];
    for (std::size_t s = 0; s < 8; ++s) e[s] = t.room[s * stride + k];
    lower(e, k, stride, ij, ik, jk);
  }
  std::copy(ij, ij + 4, t.ij);
}

}  // namespace

ORDERLESS_WIDTHS(lower_triples, (const Triples& triples), (triples))

namespace {

ORDERLESS_INLINE void split_errors_loop(const Splits& t) {
  const std::size_t stride = t.stride;
  std::int64_t* ORDERLESS_ALONE cells = t.cells;
  if (t.target.loss == Loss::squared) {
    const SquaredErrors errors(t.target);
    for (std::size_t k = 0; k < t.end; ++k) {
      const Four weight = four(t, 0, k), total = four(t, 1, k);
      for (std::size_t s = 0; s < 4; ++s) {
        cells[s * stride + k] = errors.of(weight.cell[s], total.cell[s]);
      }
    }
  } else if (t.target.loss == Loss::classes && t.n_classes == 2) {
    for (std::size_t k = 0; k < t.end; ++k) {
      const Four a = four(t, 0, k), b = four(t, 1, k);
      for (std::size_t s = 0; s < 4; ++s) {
        cells[s * stride + k] = a.cell[s] < b.cell[s] ? a.cell[s] : b.cell[s];
      }
    }
  } else {
    const auto of = [&](std::size_t c, std::size_t k) { return four(t, c, k); };
    count_errors<4>(of, t.target, t.n_classes, stride, 0, t.end, t.room);
    for (std::size_t s = 0; s < 4; ++s) {
      std::copy_n(t.room + s * stride, t.end, cells + s * stride);
    }
  }
  std::int64_t on = t.least[0], off = t.least[1];
  for (std::size_t k = 0; k < t.end; ++k) {
    const std::int64_t yes = cells[k] + cells[stride + k];
    const std::int64_t no = cells[2 * stride + k] + cells[3 * stride + k];
    on = yes < on ? yes : on;
    off = no < off ? no : off;
  }
  t.least[0] = on;
  t.least[1] = off;
}

}  // namespace

ORDERLESS_WIDTHS(split_errors, (const Splits& splits), (splits))

}  // namespace orderless::rashomon
