#include "core/rashomon/faces.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/hash.hpp"

namespace orderless::rashomon {

namespace {

bool has(const std::uint64_t* bits, std::size_t bin) {
  return (bits[bin / 64] >> (bin % 64) & 1U) != 0;
}

void set(Words& bits, std::size_t bin) { bits[bin / 64] |= std::uint64_t{1} << (bin % 64); }

bool meet(const Words& a, const Words& b, const std::uint64_t* within) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & b[w] & within[w]) != 0) return true;
  }
  return false;
}

template <class Use>
void each_bin(const std::uint64_t* bits, std::size_t n_words, Use&& use) {
  for (std::size_t w = 0; w < n_words; ++w) {
    for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
      use(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
}

/// The first bin of the feature of a column; one past all where it has none.
std::size_t first_bin(const SpaceMeasure& measure, std::size_t column) {
  const std::uint64_t* own = measure.feature_bins(column);
  for (std::size_t w = 0; w < measure.n_words(); ++w) {
    if (own[w] != 0) return w * 64 + static_cast<std::size_t>(std::countr_zero(own[w]));
  }
  return measure.n_bins();
}

/// The columns of one feature, each question once: equal and opposite columns are one.
std::vector<std::size_t> questions_of(const SpaceMeasure& measure,
                                      const std::vector<std::size_t>& columns) {
  std::vector<std::size_t> out;
  for (const std::size_t c : columns) {
    const std::uint64_t* own = measure.feature_bins(c);
    const bool known = std::any_of(out.begin(), out.end(), [&](std::size_t other) {
      bool equal = true, opposite = true;
      for (std::size_t w = 0; w < measure.n_words(); ++w) {
        const std::uint64_t differ = measure.one_bins(c)[w] ^ measure.one_bins(other)[w];
        equal = equal && differ == 0;
        opposite = opposite && differ == own[w];
      }
      return equal || opposite;
    });
    if (!known) out.push_back(c);
  }
  return out;
}

/// Whether questions, or their opposites, imply each other in a row: each holds for the first bin.
bool are_nested(const SpaceMeasure& measure, const std::vector<std::size_t>& columns,
                std::size_t first) {
  const auto holds = [&](std::size_t c, std::size_t w) {
    const std::uint64_t one = measure.one_bins(c)[w], own = measure.feature_bins(c)[w];
    return has(measure.one_bins(c), first) ? one : own & ~one;
  };
  for (const std::size_t a : columns) {
    for (const std::size_t b : columns) {
      bool a_in_b = true, b_in_a = true;
      for (std::size_t w = 0; w < measure.n_words(); ++w) {
        a_in_b = a_in_b && (holds(a, w) & ~holds(b, w)) == 0;
        b_in_a = b_in_a && (holds(b, w) & ~holds(a, w)) == 0;
      }
      if (!a_in_b && !b_in_a) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<FeatureQuestions> questions(const SpaceMeasure& measure) {
  std::map<std::size_t, std::vector<std::size_t>> by_feature;
  for (std::size_t c = 0; c < measure.n_columns(); ++c) {
    by_feature[first_bin(measure, c)].push_back(c);
  }
  by_feature.erase(measure.n_bins());
  std::vector<FeatureQuestions> out;
  for (const auto& [feature, columns] : by_feature) {
    std::vector<std::size_t> own = questions_of(measure, columns);
    const bool nested = are_nested(measure, own, feature);
    out.push_back({feature, std::move(own), nested});
  }
  return out;
}

std::vector<Neighbours> neighbours(const SpaceMeasure& measure) {
  std::vector<Neighbours> out;
  for (const auto& [feature, columns, _] : questions(measure)) {
    // Bins by what all questions say of them, which names a bin up to 2^-64.
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> alike;
    std::vector<std::pair<std::size_t, std::uint64_t>> bins;
    each_bin(measure.feature_bins(columns.front()), measure.n_words(), [&](std::size_t bin) {
      std::uint64_t said = 0;
      for (const std::size_t c : columns) {
        if (has(measure.one_bins(c), bin)) said ^= mix(c + 1);
      }
      bins.emplace_back(bin, said);
      alike[said].push_back(bin);
    });
    for (const auto& [bin, said] : bins) {
      for (const std::size_t c : columns) {
        if (!has(measure.one_bins(c), bin)) continue;
        const auto found = alike.find(said ^ mix(c + 1));
        if (found == alike.end()) continue;
        for (const std::size_t other : found->second) out.push_back({feature, c, bin, other});
      }
    }
  }
  std::sort(out.begin(), out.end(), [](const Neighbours& a, const Neighbours& b) {
    return std::tie(a.feature, a.cut, a.one, a.other) < std::tie(b.feature, b.cut, b.one, b.other);
  });
  return out;
}

Faces::Faces(const SpaceMeasure& measure, std::span<const Neighbours> neighbours,
             std::span<const std::int32_t> column, std::span<const std::int32_t> label)
    : measure_(&measure),
      column_(column.begin(), column.end()),
      label_(label.begin(), label.end()),
      false_child_(column.size(), 0),
      used_(measure.n_words(), 0) {
  read(0, measure.whole());
  std::vector<Face> faces;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    for (std::size_t j = i + 1; j < leaves_.size(); ++j) {
      if (leaves_[i].label != leaves_[j].label) {
        add_faces(leaves_[i], leaves_[j], neighbours, faces);
      }
    }
  }
  index(faces);
}

/// Reads a subtree; the node after it.
std::size_t Faces::read(std::size_t node, const Words& box) {
  if (column_[node] < 0) {
    leaves_.push_back({box, label_[node]});
    return node + 1;
  }
  const auto asks = static_cast<std::size_t>(column_[node]);
  const std::size_t feature = first_bin(*measure_, asks);
  if (!uses(asks)) {
    const std::uint64_t* own = measure_->feature_bins(asks);
    features_.push_back({feature, own});
    for (std::size_t w = 0; w < used_.size(); ++w) used_[w] |= own[w];
  }
  Words side(box.size());
  measure_->cut(box.data(), asks, true, side.data());
  false_child_[node] = read(node + 1, side);
  measure_->cut(box.data(), asks, false, side.data());
  return read(false_child_[node], side);
}

void Faces::add_faces(const Leaf& a, const Leaf& b, std::span<const Neighbours> neighbours,
                      std::vector<Face>& out) const {
  // The one feature in which they share no bin.
  const Asked* apart = nullptr;
  for (const Asked& each : features_) {
    if (meet(a.box, b.box, each.bins)) continue;
    if (apart != nullptr) return;
    apart = &each;
  }
  if (apart == nullptr) return;
  const std::uint64_t* own = apart->bins;
  Face face;
  face.feature = apart->feature;
  const auto add = [&](std::size_t cut, const Words& from, const Words& to) {
    face.cut = cut;
    face.from = face.to = Words(used_.size());
    for (std::size_t w = 0; w < used_.size(); ++w) {
      const std::uint64_t shared = a.box[w] & b.box[w] & ~own[w];
      face.from[w] = shared | (from[w] & own[w]);
      face.to[w] = shared | (to[w] & own[w]);
    }
    out.push_back(face);
  };
  add(any_cut, a.box, b.box);
  for (const Neighbours& each : neighbours) {
    if (each.feature != apart->feature) continue;
    const bool as_is = has(a.box.data(), each.one) && has(b.box.data(), each.other);
    if (!as_is && !(has(b.box.data(), each.one) && has(a.box.data(), each.other))) continue;
    Words from(used_.size(), 0), to(used_.size(), 0);
    set(from, each.one);
    set(to, each.other);
    add(each.cut, from, to);
  }
}

void Faces::index(const std::vector<Face>& faces) {
  std::vector<const Face*> order;
  order.reserve(faces.size());
  for (const Face& face : faces) order.push_back(&face);
  std::sort(order.begin(), order.end(), [](const Face* a, const Face* b) {
    return std::tie(a->feature, a->cut) < std::tie(b->feature, b->cut);
  });
  n_faces_ = order.size();
  n_words_ = (n_faces_ + 63) / 64;
  from_.assign(measure_->n_bins() * n_words_, 0);
  to_ = from_;
  for (std::size_t f = 0; f < n_faces_; ++f) {
    const Face& face = *order[f];
    const std::uint64_t bit = std::uint64_t{1} << (f % 64);
    each_bin(face.from.data(), used_.size(),
             [&](std::size_t bin) { from_[bin * n_words_ + f / 64] |= bit; });
    each_bin(face.to.data(), used_.size(),
             [&](std::size_t bin) { to_[bin * n_words_ + f / 64] |= bit; });
    if (f == 0 || order[f - 1]->feature != face.feature || order[f - 1]->cut != face.cut) {
      groups_.resize(groups_.size() + n_words_, 0);
      any_.push_back(face.cut == any_cut ? 1 : 0);
    }
    groups_[groups_.size() - n_words_ + f / 64] |= bit;
  }
}

Words Faces::all() const {
  Words out(n_words_, 0);
  for (std::size_t f = 0; f < n_faces_; ++f) set(out, f);
  return out;
}

bool Faces::uses(std::size_t column) const {
  const std::uint64_t* own = measure_->feature_bins(column);
  for (std::size_t w = 0; w < used_.size(); ++w) {
    if ((own[w] & used_[w]) != 0) return true;
  }
  return false;
}

void Faces::narrow(Words& alive, const Words& box, std::size_t column) const {
  const std::uint64_t* own = measure_->feature_bins(column);
  Words from(n_words_, 0), to(n_words_, 0);
  for (std::size_t w = 0; w < used_.size(); ++w) {
    for (std::uint64_t rest = box[w] & own[w]; rest != 0; rest &= rest - 1) {
      const std::size_t bin = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
      for (std::size_t k = 0; k < n_words_; ++k) {
        from[k] |= from_[bin * n_words_ + k];
        to[k] |= to_[bin * n_words_ + k];
      }
    }
  }
  for (std::size_t k = 0; k < n_words_; ++k) alive[k] &= from[k] & to[k];
}

std::int64_t Faces::least_splits(const Words& alive) const {
  std::int64_t n = 0, of_feature = 0;
  for (std::size_t g = 0; g < any_.size(); ++g) {
    bool some = false;
    for (std::size_t k = 0; k < n_words_ && !some; ++k) {
      some = (alive[k] & groups_[g * n_words_ + k]) != 0;
    }
    if (any_[g] == 0) {
      of_feature += some ? 1 : 0;
      continue;
    }
    n += std::max<std::int64_t>(of_feature, some ? 1 : 0);
    of_feature = 0;
  }
  return n;
}

std::int32_t Faces::label_in(const Words& box) const {
  std::size_t node = 0;
  while (column_[node] >= 0) {
    const auto asks = static_cast<std::size_t>(column_[node]);
    const std::uint64_t* own = measure_->feature_bins(asks);
    // The point of the box that has the first bin of every feature.
    std::size_t bin = 0;
    for (std::size_t w = 0; w < box.size(); ++w) {
      if ((box[w] & own[w]) == 0) continue;
      bin = w * 64 + static_cast<std::size_t>(std::countr_zero(box[w] & own[w]));
      break;
    }
    node = has(measure_->one_bins(asks), bin) ? node + 1 : false_child_[node];
  }
  return label_[node];
}

}  // namespace orderless::rashomon
