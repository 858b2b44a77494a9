// SPDX-License-Identifier: Apache-2.0
// Row by row what each pair sends; then the sums along rows and keys.
#include "tests/reference/error_bound/gradient/erring_backward.hpp"

namespace attestone::emulation {
namespace {

/// The contributions of one pair to the sums.
struct Sent {
  index query, key;
  Extended score_gradient, bias_gradient, weight;
};

/// The pairs of one key and a run of queries.
struct OfKey {
  index key, first, end;

  bool operator()(const Sent& at) const { return at.key == key && first <= at.query && at.query < end; }
};

/// One head's pass over all rows, and its part of each gradient.
class ErringHead {
 public:
  ErringHead(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const Form& form,
             Roundings& roundings, index head)
      : problem_(problem),
        inputs_(inputs),
        numerics_(numerics),
        sums_(numerics.gradient.accumulator),
        form_(form),
        round_(roundings),
        head_(head),
        kv_head_(problem.shape.kv_head(head)),
        group_(problem.shape.heads / problem.shape.kv_heads) {
    for (index i = 0; i < problem.shape.queries; ++i) visit(i);
  }

  void add_to(ErringGradients& all) {
    const Shape& s = problem_.shape;
    for (index i = 0; i < s.queries; ++i)
      for (index c = 0; c < s.dim; ++c)
        all.query.at(0, head_, i, c) =
            stored(scaled(sum([&](const Sent& at) { return at.query == i; }, &Sent::score_gradient,
                              [&](const Sent& at) { return element(inputs_.key, kv_head_, at.key, c); })));
    for (index j = 0; j < s.keys; ++j) {
      for (index c = 0; c < s.dim; ++c)
        join(all.key.at(0, kv_head_, j, c), in_parts([&](index first, index end) {
               return scaled(sum(OfKey{j, first, end}, &Sent::score_gradient, [&](const Sent& at) {
                 const Extended q = element(inputs_.query, head_, at.query, c);
                 return scaled_query(problem_, numerics_, round_, q) / static_cast<Extended>(problem_.scale());
               }));
             }));
      for (index c = 0; c < s.value_dim; ++c)
        join(all.value.at(0, kv_head_, j, c), in_parts([&](index first, index end) {
               return sum(OfKey{j, first, end}, &Sent::weight,
                          [&](const Sent& at) { return element(*inputs_.dout, head_, at.query, c); });
             }));
    }
    if (all.sink) all.sink->at(0, head_, 0, 0) = stored(round_.sum(sinks_, sums_));
    if (all.bias) add_to_bias(*all.bias);
  }

 private:
  static Extended element(const Tensor& tensor, index h, index r, index c) {
    return static_cast<Extended>(tensor.view().value(0, h, r, c));
  }
  Extended once(Extended x) { return round_.once(x, sums_); }
  Extended stored(Extended x) { return round_.cast(x, numerics_.output.cast); }

  Extended scaled(Extended sum) {
    if (form_.scales_score_gradients) return sum;
    const Extended merged = once(once(static_cast<Extended>(problem_.scale())));
    return once(merged * sum);
  }

  /// The sum over equal runs of the queries. Each run is stored before the next one is added, and so is the sum so far.
  /// Heads of a group are not taken apart.
  template <class Sum>
  Extended in_parts(const Sum& sum) {
    const index queries = problem_.shape.queries, parts = std::min(numerics_.gradient.parts, queries);
    if (parts == 1 || group_ > 1) return sum(0, queries);
    Extended all = 0;
    for (index part = 0; part < parts; ++part) {
      const Extended share =
          round_.cast(sum(part * queries / parts, (part + 1) * queries / parts), numerics_.gradient.part);
      if (share == 0) continue;  // what is stored already rounds to itself
      all = all == 0 ? share : round_.cast(once(all + share), numerics_.gradient.part);
    }
    return all;
  }

  /// The sum over the pairs that `here` accepts.
  template <class Here, class Other>
  Extended sum(const Here& here, Extended Sent::*sent, const Other& other) {
    const double operand = numerics_.gradient.operand_roundoff;
    std::vector<Extended> x, y;
    for (const Sent& at : sent_) {
      if (!here(at)) continue;
      x.push_back(round_.relative(at.*sent, operand));
      y.push_back(round_.relative(round_.read(other(at), sums_), operand));
    }
    return round_.sum_of_products(x, y, sums_);
  }

  /// Adds the part to what other heads have sent; the last head of a group stores the total.
  void join(Extended& total, Extended part) {
    if (group_ > 1 && form_.heads_apart) part = stored(part);
    const index place = head_ % group_;
    total = place == 0 ? part : once(total + part);
    if (place == group_ - 1) total = stored(total);
  }

  void add_to_bias(RealTensor& bias) {
    const Extents& e = bias.extents;
    const bool shared = element_count(e) < problem_.shape.rows() * problem_.shape.keys;
    const auto place = [](index extent, index at) { return extent == 1 ? 0 : at; };
    for (const Sent& at : sent_) {
      Extended& total = bias.at(0, place(e[1], head_), place(e[2], at.query), place(e[3], at.key));
      total = once(total + (shared && form_.heads_apart ? stored(at.bias_gradient) : at.bias_gradient));
    }
    if (head_ == problem_.shape.heads - 1)
      for (Extended& total : bias.values) total = stored(total);
  }

  Extended delta(ErringRow& row, const StoredRow& kept, index query) {
    if (form_.delta_from_rows) {
      std::vector<Extended> weights = row.weights(kept);
      weights.resize(row.keys().size());
      for (Extended& p : weights) p = round_.cast(p, numerics_.weight.cast);
      return round_.sum_of_products(weights, row.projected_values(true), sums_);
    }
    std::vector<Extended> dout;
    for (index c = 0; c < problem_.shape.value_dim; ++c) dout.push_back(element(*inputs_.dout, head_, query, c));
    return round_.sum_of_products(dout, kept.out, sums_);
  }

  void visit(index query) {
    ErringRow row(problem_, inputs_, numerics_, form_, round_, head_, query);
    if (row.keys().empty()) return;
    const StoredRow kept = row.forward();
    const std::vector<Extended> weights = row.weights(kept), dp = row.projected_values(!form_.dropout_of_delta);
    const Extended factor = row.dropout_factor(sums_);
    Extended delta_here = delta(row, kept, query);
    if (form_.dropout_of_delta) delta_here = once(once(1 - once(static_cast<Extended>(problem_.dropout))) * delta_here);
    const Extended exact_factor = form_.dropout_of_delta ? 1 / (1 - static_cast<Extended>(problem_.dropout)) : 1;
    for (std::size_t j = 0; j < row.keys().size(); ++j) {
      const Extended p = round_.cast(weights[j], numerics_.gradient.weight);
      const Extended plain = once(exact_factor * p * once(dp[j] - delta_here));
      Extended ds = problem_.score.softcap() ? once(plain * row.derivative(j)) : plain;
      if (form_.scales_score_gradients) ds = once(ds * once(static_cast<Extended>(problem_.scale())));
      const Extended weight = problem_.dropout == 0 ? weights[j] : row.keeps(j) ? once(weights[j] * factor) : 0;
      sent_.push_back({query, row.keys()[j], round_.cast(ds, numerics_.gradient.cast),
                       round_.cast(plain, numerics_.gradient.cast), round_.cast(weight, numerics_.weight.cast)});
    }
    if (row.has_sink()) sinks_.push_back(once(-exact_factor * weights.back() * delta_here));
  }

  const Problem& problem_;
  const Inputs& inputs_;
  const Numerics& numerics_;
  const Accumulator& sums_;
  const Form& form_;
  Roundings& round_;
  index head_, kv_head_, group_;
  std::vector<Sent> sent_;
  std::vector<Extended> sinks_;
};

}  // namespace

ErringGradients::ErringGradients(const Inputs& inputs)
    : query(inputs.query.view().extents()), key(inputs.key.view().extents()), value(inputs.value.view().extents()) {
  if (inputs.bias) bias.emplace(inputs.bias->view().extents());
  if (inputs.sink) sink.emplace(inputs.sink->view().extents());
}

ErringGradients erring_gradients(const Problem& problem, const Inputs& inputs, const Numerics& numerics,
                                 const Form& form, Roundings& roundings) {
  ErringGradients all(inputs);
  for (index h = 0; h < problem.shape.heads; ++h) ErringHead(problem, inputs, numerics, form, roundings, h).add_to(all);
  return all;
}

}  // namespace attestone::emulation
