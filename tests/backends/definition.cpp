// SPDX-License-Identifier: Apache-2.0
// From the rows of the score matrix to O, log_sum_exp and the gradients: sections 5.3, 5.4 and 5.6 of the error
// analysis.
#include "tests/backends/definition.hpp"

#include <cmath>

#include "tests/backends/defined_rows.hpp"

namespace attestone {
namespace {

class Definition {
 public:
  Definition(const Problem& problem, const Inputs& inputs, const Numerics& numerics)
      : p_(problem), in_(inputs), n_(numerics), rows_(problem, inputs, numerics), u_(n_.value.accumulator.roundoff) {}

  DefinedAttention all();

 private:
  double q(const DefinedRow& r, index c) const { return in_.query.view().value(r.batch, r.head, r.query, c); }
  double k(const DefinedRow& r, index j, index c) const { return in_.key.view().value(r.batch, r.kv_head, j, c); }
  double v(const DefinedRow& r, index j, index c) const { return in_.value.view().value(r.batch, r.kv_head, j, c); }
  double dout(const DefinedRow& r, index c) const { return in_.dout->view().value(r.batch, r.head, r.query, c); }

  void forward(DefinedRow&);
  double left_behind(const DefinedRow&, index c) const;
  void delta(DefinedRow&, const std::vector<double>& o_bound) const;
  void gradients(DefinedRow&);
  void add(DefinedTensor& tensor, std::size_t at, double value, double error) const {
    tensor.value[at] += value;
    tensor.bound[at] += error;
  }
  void round(DefinedTensor& tensor) const;
  DefinedTensor zeros(const Extents& e) const {
    const auto count = static_cast<std::size_t>(element_count(e));
    return {e, std::vector<double>(count), std::vector<double>(count)};
  }

  const Problem& p_;
  const Inputs& in_;
  const Numerics& n_;
  DefinedRows rows_;
  double u_;
  DefinedAttention answer_;
};

/// o and L, and the bounds of sections 5.3 and 5.4 of the error analysis.
void Definition::forward(DefinedRow& r) {
  const double n = static_cast<double>(p_.shape.keys) + 4, chain = gamma(2 * n, u_);
  const double underflow = (n_.weight.cast.underflow + n_.value.accumulator.underflow) / std::min(r.ell, 1.0);
  std::vector<double> bounds;
  for (index c = 0; c < p_.shape.value_dim; ++c) {
    double o = 0, sum = 0, moved = 0, small = 0, max_tau = r.sink_tau, weighted_tau = r.sink_p * r.sink_tau;
    for (const DefinedPair& pair : r.pairs) {
      o += pair.p * pair.z * v(r, pair.key, c);
      sum += pair.p * std::abs(pair.z * v(r, pair.key, c));
      small += underflow * std::abs(pair.z * v(r, pair.key, c));
      max_tau = std::max(max_tau, pair.tau);
      weighted_tau += pair.p * pair.tau;
    }
    moved = r.sink_p * r.sink_tau * std::abs(o);
    for (const DefinedPair& pair : r.pairs) moved += pair.p * pair.tau * std::abs(pair.z * v(r, pair.key, c) - o);
    const double kappa = (1 + max_tau) * (1 + n_.weight.cast.roundoff) / ((1 - weighted_tau) * (1 - chain));
    const double E = kappa * (moved + n_.weight.cast.roundoff * sum + small + (chain + 2 * u_) * sum +
                              (chain + 2 * u_) * std::abs(o)) +
                     left_behind(r, c);
    const double bound = r.pairs.empty() ? 0
                                         : E + n_.output.cast.roundoff * (std::abs(o) + E) + n_.output.cast.underflow +
                                               n_.value.accumulator.underflow;
    add(answer_.out, answer_.out.place(r.batch, r.head, r.query, c), o, bound);
    bounds.push_back(bound);
  }
  add(answer_.log_sum_exp, answer_.log_sum_exp.place(r.batch, r.head, r.query, 0), r.L, r.L_err);
  if (p_.backward && !r.pairs.empty()) delta(r, bounds);
}

/// The error of merges by sigmoids: a part that weighs nothing but lies far away leaves its last places behind in out -
/// sigmoid (out - part). That takes three roundings and those of the sigmoid.
double Definition::left_behind(const DefinedRow& r, index c) const {
  if (n_.merge.form != MergeForm::sigmoid) return 0;
  double farthest = 0;
  for (const DefinedPair& pair : r.pairs) farthest = std::max(farthest, std::abs(pair.z * v(r, pair.key, c)));
  const double u = n_.merge.accumulator.roundoff, rounds = static_cast<double>(n_.merge.rounds());
  return rounds * (4 * u + n_.merge.exp_error) * 2 * farthest * (1 + gamma(4 * rounds, u));
}

/// delta = sum dO O as a kernel computes it from its stored O.
void Definition::delta(DefinedRow& r, const std::vector<double>& o_bound) const {
  const double chain = gamma(static_cast<double>(p_.shape.value_dim), u_);
  for (index c = 0; c < p_.shape.value_dim; ++c) {
    const double o = answer_.out.value[answer_.out.place(r.batch, r.head, r.query, c)];
    const double g = dout(r, c), wrong = o_bound[static_cast<std::size_t>(c)];
    r.delta += g * o;
    r.delta_err += std::abs(g) * wrong + chain * std::abs(g) * (std::abs(o) + wrong);
  }
}

/// Section 5.6 of the error analysis; z carries dropout.
void Definition::gradients(DefinedRow& r) {
  if (r.pairs.empty()) return;
  const double chain_v = gamma(static_cast<double>(p_.shape.value_dim) + 2, u_), scale = p_.scale();
  const double many = static_cast<double>(p_.shape.queries * p_.shape.heads * p_.shape.batch + p_.shape.keys) + 4;
  const double chain = gamma(many, u_), eta = n_.value.accumulator.underflow;
  for (DefinedPair& pair : r.pairs) {
    for (index c = 0; c < p_.shape.value_dim; ++c) {
      pair.dP += dout(r, c) * v(r, pair.key, c);
      pair.G += std::abs(dout(r, c) * v(r, pair.key, c));
    }
    pair.x = pair.z * pair.dP - r.delta;
    pair.p_err = std::expm1(pair.s_err + r.L_err + u_ * std::abs(pair.s - r.L) + n_.weight.exp_error);
    const double rho = (1 + pair.p_err) * std::pow(1 + u_, 3);
    pair.gradient = pair.p * pair.x;
    pair.gradient_err = pair.p * ((rho - 1) * std::abs(pair.x) + rho * (chain_v * pair.z * pair.G + r.delta_err)) +
                        eta * (1 + std::abs(pair.x) + r.delta_err);
    const double slope_err = std::abs(pair.t_err) * (2 * std::abs(pair.t) + std::abs(pair.t_err)) + 2 * u_;
    const double capped = p_.score.softcap()
                              ? slope_err * (std::abs(pair.gradient) + pair.gradient_err) + u_ * std::abs(pair.gradient)
                              : 0;
    const double dS = pair.f * pair.gradient, dS_err = pair.f * pair.gradient_err + capped;
    pair.largest = std::abs(dS) + dS_err + n_.gradient.cast.underflow;
    const double sent = dS_err + n_.gradient.cast.roundoff * pair.largest + n_.gradient.cast.underflow +
                        chain * (1 + n_.gradient.cast.roundoff) * pair.largest;
    for (index c = 0; c < p_.shape.dim; ++c) {
      add(answer_.dquery, answer_.dquery.place(r.batch, r.head, r.query, c), scale * dS * k(r, pair.key, c),
          scale * sent * std::abs(k(r, pair.key, c)));
      add(answer_.dkey, answer_.dkey.place(r.batch, r.kv_head, pair.key, c), scale * dS * q(r, c),
          scale * sent * std::abs(q(r, c)));
    }
    const double weight_err = (1 + pair.p_err) * (1 + n_.weight.cast.roundoff) * (1 + chain) - 1;
    for (index c = 0; c < p_.shape.value_dim; ++c)
      add(answer_.dvalue, answer_.dvalue.place(r.batch, r.kv_head, pair.key, c), pair.p * pair.z * dout(r, c),
          pair.z * std::abs(dout(r, c)) * (pair.p * weight_err + (n_.weight.cast.underflow + eta) * (1 + chain)));
    if (in_.bias) {
      const auto at = [](index i, index extent) { return extent == 1 ? 0 : i; };
      const Extents& e = answer_.dbias.extents;
      add(answer_.dbias,
          answer_.dbias.place(at(r.batch, e[0]), at(r.head, e[1]), at(r.query, e[2]), at(pair.key, e[3])),
          pair.gradient, pair.gradient_err + chain * (std::abs(pair.gradient) + pair.gradient_err));
    }
  }
  if (!in_.sink) return;
  const double rho = std::exp(r.L_err + 4 * u_);
  add(answer_.dsink, answer_.dsink.place(0, r.head, 0, 0), -r.sink_p * r.delta,
      r.sink_p * (rho * r.delta_err + (rho - 1) * std::abs(r.delta)) + chain * r.sink_p * std::abs(r.delta));
}

void Definition::round(DefinedTensor& tensor) const {
  for (std::size_t i = 0; i < tensor.value.size(); ++i)
    if (tensor.bound[i] > 0)
      tensor.bound[i] +=
          n_.output.cast.roundoff * (std::abs(tensor.value[i]) + tensor.bound[i]) + n_.output.cast.underflow;
}

DefinedAttention Definition::all() {
  const Shape& s = p_.shape;
  answer_.out = zeros({s.batch, s.heads, s.queries, s.value_dim});
  answer_.log_sum_exp = zeros({s.batch, s.heads, s.queries, 1});
  if (p_.backward) {
    answer_.dquery = zeros(in_.query.view().extents());
    answer_.dkey = zeros(in_.key.view().extents());
    answer_.dvalue = zeros(in_.value.view().extents());
    if (in_.bias) answer_.dbias = zeros(in_.bias->view().extents());
    if (in_.sink) answer_.dsink = zeros(in_.sink->view().extents());
  }
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h)
      for (index i = 0; i < s.queries; ++i) {
        DefinedRow r = rows_.row(b, h, i);
        forward(r);
        if (p_.backward) gradients(r);
      }
  for (DefinedTensor* tensor : {&answer_.dquery, &answer_.dkey, &answer_.dvalue, &answer_.dbias, &answer_.dsink})
    round(*tensor);
  return answer_;
}

}  // namespace

std::vector<const DefinedTensor*> DefinedAttention::results() const {
  std::vector<const DefinedTensor*> all{&out, &log_sum_exp};
  for (const DefinedTensor* tensor : {&dquery, &dkey, &dvalue}) all.push_back(tensor);
  for (const DefinedTensor* tensor : {&dbias, &dsink})
    if (!tensor->value.empty() || tensor->extents != Extents{}) all.push_back(tensor);
  return all;
}

DefinedAttention attention_by_rules(const Problem& problem, const Inputs& inputs, const Numerics& numerics) {
  return Definition(problem, inputs, numerics).all();
}

}  // namespace attestone
