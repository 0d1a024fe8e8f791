#include "core/rashomon/measured.hpp"

#include <utility>

#include "core/rashomon/kernels.hpp"

namespace orderless::rashomon {

namespace {

constexpr std::uint32_t at_end = 0x80000000U;  // marks leaves while their numbers are not final

void keep_side(const Rows& rows, std::int32_t literal, Words& support) {
  const std::uint64_t* column = rows.column(static_cast<std::size_t>(literal / 2));
  const std::uint64_t flip = literal % 2 == 0 ? 0 : ~std::uint64_t{0};
  for (std::size_t w = 0; w < support.size(); ++w) support[w] &= column[w] ^ flip;
}

}  // namespace

class MeasuredBuilder {
 public:
  MeasuredBuilder(Measured& out, const MeasuredRows& rows, Meter& meter)
      : out_(out),
        graph_(*out.graph_),
        rows_(rows.rows),
        share_bits_(rows.share_bits),
        meter_(meter),
        held_(meter),
        namer_(rows_.n_words),
        leaf_namer_(out.n_parts_ + 1),
        leaf_key_(out.n_parts_ + 1),
        yes_(out.n_parts_),
        no_(out.n_parts_),
        trained_(graph_.rows.n_classes) {}

  void build() {
    out_.edge_start_.push_back(0);
    if (!out_.reachable_.has(0)) return;
    meet(0, 0, rows_.all, graph_.rows.all, nullptr, 0);
    std::size_t begin = 0;
    for (std::size_t level = 0; begin < out_.node_.size(); ++level) {
      const std::size_t end = out_.node_.size();
      const std::vector<std::int32_t> paths = std::exchange(paths_, {});
      numbers_.clear();
      first_ = end;
      for (std::size_t place = begin; place < end; ++place) {
        expand(place, level, paths.data() + (place - begin) * level);
        meter_.step((graph_.of(out_.node_[place]).size() + 1) * (rows_.n_words / 8 + 8));
        held_.set(out_.bytes() + (paths.size() + paths_.size()) * 4 + numbers_.bytes() +
                  leaves_.bytes() + leaf_weights_.size() * 8);
      }
      begin = end;
    }
    finish();
  }

 private:
  /// The place of a node and some measured rows, in the next level.
  std::uint32_t meet(std::uint32_t node, std::size_t level, const Words& support,
                     const Words& trained, const std::int32_t* path, std::int32_t literal) {
    Key key = namer_.name(support.data());
    key[0] ^= (node + std::uint64_t{1}) * 0x9e3779b97f4a7c15U;
    key[1] += node * std::uint64_t{0xd1b54a32d192ed03U};
    const auto [number, is_new] = numbers_.add(key);
    const std::size_t place = first_ + number;
    if (place >= at_end - 1) throw MemoryLimit(meter_.limit());
    if (is_new) {
      if (level > 0) {
        paths_.insert(paths_.end(), path, path + level - 1);
        paths_.push_back(literal);
      }
      out_.node_.push_back(node);
      weigh(support.data(), support.data(), rows_.segments, rows_.n_classes, yes_.data());
      add_shares(yes_, trained, trained);
      out_.weights_.insert(out_.weights_.end(), yes_.begin(), yes_.end());
    }
    return static_cast<std::uint32_t>(place);
  }

  /// Adds the squared error of a leaf on training rows that are in both sets, as the last part.
  void add_shares(std::vector<std::int64_t>& weights, const Words& a, const Words& b) {
    if (share_bits_ < 0) return;
    weigh(a.data(), b.data(), graph_.rows.segments, graph_.rows.n_classes, trained_.data());
    const auto word = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
    std::uint64_t n = 0, total = 0;
    Wide squares = 0, hits = 0;
    for (std::size_t c = 0; c < rows_.n_classes; ++c) {
      total += word(weights[c]);
      n += word(trained_[c]);
      squares += Wide(word(trained_[c])) * Wide(word(trained_[c]));
      hits += Wide(word(weights[c])) * Wide(word(trained_[c]));
    }
    // The sum over rows and classes of ([the row's class] - share)^2, times n^2.
    Wide sum = Wide(total) * (Wide(n) * Wide(n) + squares);
    sum -= Wide(2) * Wide(n) * hits;
    const Wide fine = sum * Wide(std::uint64_t{1} << static_cast<unsigned>(share_bits_));
    weights.back() = n == 0 ? 0 : static_cast<std::int64_t>((fine / (Wide(n) * Wide(n))).low());
  }

  std::uint32_t leaf(std::uint32_t node, const std::vector<std::int64_t>& weights) {
    leaf_key_[0] = node;
    for (std::size_t p = 0; p < weights.size(); ++p) {
      leaf_key_[p + 1] = static_cast<std::uint64_t>(weights[p]);
    }
    const auto [number, is_new] = leaves_.add(leaf_namer_.name(leaf_key_.data()));
    if (is_new) {
      if (number >= at_end - 1) throw MemoryLimit(meter_.limit());
      leaf_node_.push_back(node);
      leaf_weights_.insert(leaf_weights_.end(), weights.begin(), weights.end());
    }
    return number | at_end;
  }

  void expand(std::size_t place, std::size_t level, const std::int32_t* path) {
    const std::uint32_t node = out_.node_[place];
    Words support = rows_.all;
    Words trained = share_bits_ < 0 ? Words() : graph_.rows.all;
    for (std::size_t p = 0; p < level; ++p) {
      keep_side(rows_, path[p], support);
      if (share_bits_ >= 0) keep_side(graph_.rows, path[p], trained);
    }
    for (std::size_t e = graph_.edge_start[node]; e < graph_.edge_start[node + 1]; ++e) {
      const Edge& edge = graph_.edges[e];
      if (!out_.reachable_.has(graph_, node, edge)) continue;
      MeasuredEdge own{static_cast<std::uint32_t>(e), 0, 0};
      for (const bool yes : {true, false}) {
        const std::uint32_t child = yes ? edge.when_true : edge.when_false;
        const auto literal = static_cast<std::int32_t>(2 * edge.column + (yes ? 0 : 1));
        (yes ? own.when_true : own.when_false) =
            child < graph_.level_start.back()
                ? descend(child, level + 1, support, trained, path, literal)
                : leaf_below(child, place, support, trained, literal);
      }
      out_.edges_.push_back(own);
    }
    out_.edge_start_.push_back(out_.edges_.size());
  }

  std::uint32_t descend(std::uint32_t child, std::size_t level, const Words& support,
                        const Words& trained, const std::int32_t* path, std::int32_t literal) {
    side_ = support;
    keep_side(rows_, literal, side_);
    trained_side_ = trained;
    if (share_bits_ >= 0) keep_side(graph_.rows, literal, trained_side_);
    return meet(child, level, side_, trained_side_, path, literal);
  }

  /// A leaf: no set of rows has to be named.
  std::uint32_t leaf_below(std::uint32_t child, std::size_t place, const Words& support,
                           const Words& trained, std::int32_t literal) {
    const auto column = static_cast<std::size_t>(literal / 2);
    weigh(support.data(), rows_.column(column), rows_.segments, rows_.n_classes, yes_.data());
    if (share_bits_ >= 0) {
      trained_side_ = trained;
      keep_side(graph_.rows, literal, trained_side_);
    }
    if (literal % 2 == 0) {
      add_shares(yes_, trained_side_, trained_side_);
      return leaf(child, yes_);
    }
    const auto all = out_.weights(place);
    for (std::size_t p = 0; p < rows_.n_classes; ++p) no_[p] = all[p] - yes_[p];
    add_shares(no_, trained_side_, trained_side_);
    return leaf(child, no_);
  }

  void finish() {
    const auto n = static_cast<std::uint32_t>(out_.node_.size());
    if (n + leaf_node_.size() >= at_end) throw MemoryLimit(meter_.limit());
    for (MeasuredEdge& edge : out_.edges_) {
      for (std::uint32_t* child : {&edge.when_true, &edge.when_false}) {
        if ((*child & at_end) != 0) *child = n + (*child & ~at_end);
      }
    }
    out_.node_.insert(out_.node_.end(), leaf_node_.begin(), leaf_node_.end());
    out_.weights_.insert(out_.weights_.end(), leaf_weights_.begin(), leaf_weights_.end());
  }

  Measured& out_;
  const Graph& graph_;
  const Rows& rows_;
  int share_bits_;
  Meter& meter_;
  Held held_;
  Namer namer_, leaf_namer_;
  Numbers numbers_, leaves_;
  std::size_t first_ = 0;            // place of the first of the next level
  std::vector<std::int32_t> paths_;  // literals that lead to each place of the next level
  Words leaf_key_, side_, trained_side_;
  std::vector<std::int64_t> yes_, no_, trained_;
  std::vector<std::uint32_t> leaf_node_;
  std::vector<std::int64_t> leaf_weights_;
};

Measured::Measured(std::shared_ptr<const Graph> graph, View view, const MeasuredRows& rows,
                   Meter& meter)
    : graph_(std::move(graph)),
      view_(std::move(view)),
      reachable_(*graph_, view_),
      n_parts_(rows.rows.n_classes + (rows.share_bits < 0 ? 0 : 1)) {
  require_written(*graph_);
  MeasuredBuilder(*this, rows, meter).build();
}

std::size_t Measured::bytes() const {
  return node_.capacity() * 4 + weights_.capacity() * 8 + edge_start_.capacity() * 8 +
         edges_.capacity() * sizeof(MeasuredEdge);
}

}  // namespace orderless::rashomon
