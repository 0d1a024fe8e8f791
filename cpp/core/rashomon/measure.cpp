#include "core/rashomon/measure.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/hash.hpp"
#include "core/rashomon/kernels.hpp"

namespace orderless::rashomon {

Point inverse(const Point& a) {
  // a^(p - 2): all bits of p - 2 = 2^61 - 3 but the second are 1.
  Point out{1, 1}, power = a;
  for (int bit = 0; bit < 61; ++bit) {
    if (bit != 1) out = times(out, power);
    power = times(power, power);
  }
  return out;
}

namespace {

/// Appends the weights of a feature's bins: of what lies between its cuts, and of NaN.
void append_weights(std::vector<Point>& out, const Domain& domain, const FeatureWeights& random,
                    std::span<const double> cuts) {
  if (!domain.ordered) {
    out.insert(out.end(), random.values.begin(), random.values.end());
    return;
  }
  Point before{0, 0};
  for (const double cut : cuts) {
    const Point up_to = same::element(random, domain, cut);
    out.push_back(minus(up_to, before));
    before = up_to;
  }
  out.push_back(minus(same::element(random, domain, domain.upper), before));
  if (domain.nan) out.push_back(same::nan_weight(random));
}

}  // namespace

SpaceMeasure::SpaceMeasure(const Meaning& meaning, std::span<const Domain> domains,
                           std::span<const FeatureWeights> weights) {
  const TreeView& conditions = meaning.conditions;
  const std::size_t n_columns = conditions.size();
  // The cuts of each feature that is asked about.
  std::map<std::int32_t, std::vector<double>> cuts;
  std::map<std::int32_t, std::size_t> n_asking, first_bin;
  for (std::size_t j = 0; j < n_columns; ++j) {
    const std::int32_t f = conditions.feature[j];
    if (f < 0) continue;
    std::vector<double>& own = cuts[f];
    const Domain& domain = domains[static_cast<std::size_t>(f)];
    const double cut = conditions.threshold[j];
    if (domain.ordered && cut > domain.lower && cut < domain.upper) own.push_back(cut);
    if (++n_asking[f] > 1) independent_ = false;
  }
  for (auto& [f, own] : cuts) {
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    first_bin[f] = weight_.size();
    append_weights(weight_, domains[static_cast<std::size_t>(f)],
                   weights[static_cast<std::size_t>(f)], own);
  }
  n_bins_ = weight_.size();
  n_words_ = (n_bins_ + 63) / 64;
  one_.assign(n_columns * n_words_, 0);
  feature_bins_.assign(n_columns * n_words_, 0);
  alone_.assign(n_columns, Point{0, 0});
  for (std::size_t j = 0; j < n_columns; ++j) {
    const std::int32_t f = conditions.feature[j];
    const bool one_is_true = meaning.one_is_true[j] != 0;
    if (f < 0) {
      alone_[j] = one_is_true ? Point{1, 1} : Point{0, 0};
      continue;
    }
    const Domain& domain = domains[static_cast<std::size_t>(f)];
    const std::vector<double>& own = cuts[f];
    const std::size_t begin = first_bin[f];
    const std::size_t n = domain.ordered ? own.size() + 1 + (domain.nan ? 1U : 0U)
                                         : static_cast<std::size_t>(domain.n_values);
    std::vector<std::uint8_t> holds(n, 0);
    if (domain.ordered) {
      for (std::size_t b = 0; b <= own.size(); ++b) {
        const double top = b < own.size() ? own[b] : domain.upper;
        holds[b] = top <= conditions.threshold[j] ? 1 : 0;
      }
      if (domain.nan) holds[n - 1] = conditions.nan_true[j];
    } else {
      for (const std::int32_t value : conditions.set(j)) holds[static_cast<std::size_t>(value)] = 1;
    }
    for (std::size_t b = 0; b < n; ++b) {
      const std::size_t bin = begin + b;
      const std::uint64_t bit = std::uint64_t{1} << (bin % 64);
      feature_bins_[j * n_words_ + bin / 64] |= bit;
      if ((holds[b] != 0) != one_is_true) continue;
      one_[j * n_words_ + bin / 64] |= bit;
      alone_[j] = plus(alone_[j], weight_[bin]);
    }
  }
}

Words SpaceMeasure::whole() const {
  Words box(n_words_, 0);
  for (std::size_t b = 0; b < n_bins_; ++b) box[b / 64] |= std::uint64_t{1} << (b % 64);
  return box;
}

void SpaceMeasure::cut(const std::uint64_t* box, std::size_t column, bool is_one,
                       std::uint64_t* out) const {
  const std::uint64_t* one = one_.data() + column * n_words_;
  const std::uint64_t* own = feature_bins(column);
  for (std::size_t w = 0; w < n_words_; ++w) {
    out[w] = box[w] & (~own[w] | (is_one ? one[w] : ~one[w]));
  }
}

Point SpaceMeasure::share(const std::uint64_t* box, std::size_t column) {
  if (independent_) return alone_[column];
  const std::uint64_t* one = one_.data() + column * n_words_;
  const std::uint64_t* own = feature_bins(column);
  Words side(n_words_);
  Point all{0, 0}, on{0, 0};
  bool any = false;
  for (std::size_t w = 0; w < n_words_; ++w) {
    side[w] = box[w] & own[w];
    for (std::uint64_t rest = side[w]; rest != 0; rest &= rest - 1) {
      const std::uint64_t bit = rest & (~rest + 1);
      const Point& weight = weight_[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
      all = plus(all, weight);
      if ((one[w] & bit) != 0) on = plus(on, weight);
      any = true;
    }
  }
  if (!any) return alone_[column];
  const Namer namer(n_words_);
  const auto [number, is_new] = sides_.add(namer.name(side.data()));
  if (is_new) inverses_.push_back(inverse(all));
  return times(on, inverses_[number]);
}

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

namespace {

class MonotoneCheck {
 public:
  MonotoneCheck(const SpaceMeasure& measure, std::span<const Direction> directions)
      : measure_(measure), directions_(directions), n_words_(measure.n_words()) {
    for (const Direction& direction : directions) {
      const std::uint64_t* bins = measure.feature_bins(direction.column);
      Words ordered(bins, bins + n_words_);
      if (direction.has_nan) ordered[last_bit(ordered) / 64] ^= bit(last_bit(ordered));
      ordered_.push_back(std::move(ordered));
    }
  }

  /// Of one tree, in preorder.
  bool holds(std::span<const std::int32_t> column, std::span<const std::int32_t> label) {
    leaves_.clear();
    asked_.clear();
    for (const std::int32_t each : column) {
      if (each >= 0) asked_.push_back(static_cast<std::size_t>(each));
    }
    std::size_t at = 0;
    read(column, label, at, measure_.whole());
    for (std::size_t a = 0; a < leaves_.size(); ++a) {
      for (std::size_t b = 0; b < leaves_.size(); ++b) {
        if (leaves_[a].label > leaves_[b].label && clash(leaves_[a].box, leaves_[b].box)) {
          return false;
        }
      }
    }
    return true;
  }

  [[nodiscard]] std::size_t work() const { return leaves_.size() * leaves_.size() * n_words_; }

 private:
  struct Box {
    Words box;
    std::int32_t label;
  };

  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << (i % 64); }

  static std::size_t last_bit(std::span<const std::uint64_t> words) {
    for (std::size_t w = words.size(); w-- > 0;) {
      if (words[w] != 0) return w * 64 + 63 - static_cast<std::size_t>(std::countl_zero(words[w]));
    }
    return 0;
  }

  /// The boxes of the leaves that some point of the space reaches.
  void read(std::span<const std::int32_t> column, std::span<const std::int32_t> label,
            std::size_t& at, Words box) {
    const std::size_t own = at++;
    if (column[own] < 0) {
      leaves_.push_back({std::move(box), label[own]});
      return;
    }
    const auto asked = static_cast<std::size_t>(column[own]);
    Words side(n_words_);
    for (const bool is_one : {true, false}) {
      measure_.cut(box.data(), asked, is_one, side.data());
      if (meets(side, side, measure_.feature_bins(asked))) {
        read(column, label, at, side);
      } else {
        pass(column, at);
      }
    }
  }

  /// Goes past a subtree.
  static void pass(std::span<const std::int32_t> column, std::size_t& at) {
    for (std::size_t due = 1; due > 0; --due) {
      if (column[at++] >= 0) due += 2;
    }
  }

  [[nodiscard]] bool meets(const Words& a, const Words& b, const std::uint64_t* within) const {
    for (std::size_t w = 0; w < n_words_; ++w) {
      if ((a[w] & b[w] & within[w]) != 0) return true;
    }
    return false;
  }

  /// Whether a point of the leaf with the larger label and one of the other forbid each other.
  [[nodiscard]] bool clash(const Words& larger, const Words& smaller) const {
    for (std::size_t d = 0; d < directions_.size(); ++d) {
      const Words& less = directions_[d].rises ? larger : smaller;  // should have more, has less
      const Words& more = directions_[d].rises ? smaller : larger;
      if (first_of(less, ordered_[d]) < last_of(more, ordered_[d]) && meet_beside(less, more, d)) {
        return true;
      }
    }
    return false;
  }

  /// The first and the last bin of a feature in a box: beyond all, before all if there is none.
  [[nodiscard]] std::int64_t first_of(const Words& box, const Words& bins) const {
    for (std::size_t w = 0; w < n_words_; ++w) {
      const std::uint64_t own = box[w] & bins[w];
      if (own != 0) return static_cast<std::int64_t>(w) * 64 + std::countr_zero(own);
    }
    return std::int64_t{1} << 62U;
  }
  [[nodiscard]] std::int64_t last_of(const Words& box, const Words& bins) const {
    for (std::size_t w = n_words_; w-- > 0;) {
      const std::uint64_t own = box[w] & bins[w];
      if (own != 0) return static_cast<std::int64_t>(w) * 64 + 63 - std::countl_zero(own);
    }
    return -1;
  }

  /// Whether two boxes share values of all features but one.
  [[nodiscard]] bool meet_beside(const Words& a, const Words& b, std::size_t d) const {
    const std::uint64_t* own = measure_.feature_bins(directions_[d].column);
    return std::all_of(asked_.begin(), asked_.end(), [&](std::size_t column) {
      const std::uint64_t* bins = measure_.feature_bins(column);
      return std::equal(bins, bins + n_words_, own) || meets(a, b, bins);
    });
  }

  const SpaceMeasure& measure_;
  std::span<const Direction> directions_;
  std::size_t n_words_;
  std::vector<Words> ordered_;  // per direction: the bins that have an order
  std::vector<Box> leaves_;
  std::vector<std::size_t> asked_;  // columns
};

}  // namespace

std::vector<std::uint8_t> monotone(const FlatTreesView& trees, const SpaceMeasure& measure,
                                   std::span<const Direction> directions, Meter& meter) {
  MonotoneCheck check(measure, directions);
  std::vector<std::uint8_t> out;
  for (std::size_t t = 0; t + 1 < trees.offsets.size(); ++t) {
    const auto begin = static_cast<std::size_t>(trees.offsets[t]);
    const auto n = static_cast<std::size_t>(trees.offsets[t + 1]) - begin;
    out.push_back(check.holds(trees.column.subspan(begin, n), trees.label.subspan(begin, n)) ? 1
                                                                                             : 0);
    meter.step(check.work() + 16);
  }
  return out;
}

}  // namespace orderless::rashomon
