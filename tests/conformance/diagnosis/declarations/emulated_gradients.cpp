// SPDX-License-Identifier: Apache-2.0
// The gradients of plain attention, pair by pair.
#include "tests/conformance/diagnosis/declarations/emulated_gradients.hpp"

#include <array>
#include <cmath>

#include "backends/forwarding_kernel.hpp"
#include "tests/conformance/diagnosis/probes/emulations.hpp"

namespace attestone {
namespace {

/// Dot product of two rows.
double dot(const ConstView& x, std::array<index, 3> at, const ConstView& y, std::array<index, 3> beside,
           index channels) {
  double sum = 0;
  for (index c = 0; c < channels; ++c)
    sum += x.value(at[0], at[1], at[2], c) * y.value(beside[0], beside[1], beside[2], c);
  return sum;
}

class WithGradients final : public ForwardingKernel {
 public:
  WithGradients(std::string name, EmulatedGradients with)
      : ForwardingKernel(Emulation{}.kernel("plain")), name_(std::move(name)), with_(std::move(with)) {}

  std::string name() const override { return name_; }
  Support supports(const Problem& problem) const override {
    return problem.score.terms().empty() ? inner().supports(problem) : Support::refused("q.k alone");
  }
  bool computes_gradients() const override { return true; }

  void backward(const Problem& problem, const BackwardArguments& a, Device&) const override {
    for (const View& gradient : {a.dquery, a.dkey, a.dvalue})
      for_each_element(ConstView(gradient), [&](index b, index h, index r, index c) { gradient.set(b, h, r, c, 0); });
    // Sums wait in double: what is stored is rounded once.
    const Shape& s = problem.shape;
    for (index b = 0; b < s.batch; ++b)
      for (index g = 0; g < s.kv_heads; ++g) group(problem, a, b, g);
  }

 private:
  using Rows = std::vector<std::vector<double>>;

  void group(const Problem& problem, const BackwardArguments& a, index b, index g) const {
    const Shape& s = problem.shape;
    const auto n = [](index i) { return static_cast<std::size_t>(i); };
    Rows dk(n(s.keys), std::vector<double>(n(s.dim))), dv(n(s.keys), std::vector<double>(n(s.value_dim)));
    const index heads = s.heads / s.kv_heads;
    for (index h = g * heads; h < (g + 1) * heads; ++h)
      for (index i = 0; i < problem.sequence(b).queries; ++i) {
        std::vector<double> dq(n(s.dim));
        double delta = 0;
        for (index c = 0; c < s.value_dim; ++c) delta += a.dout.value(b, h, i, c) * with_.out(a.out.value(b, h, i, c));
        delta = with_.delta(delta);
        for (index j = 0; j < s.keys; ++j) {
          if (!problem.visible({b, h, i, j})) continue;
          const double score = problem.scale() * dot(a.query, {b, h, i}, a.key, {b, g, j}, s.dim);
          const double p = std::exp(score - a.log_sum_exp.value(b, h, i, 0));
          const double dp = with_.projection(dot(a.dout, {b, h, i}, a.value, {b, g, j}, s.value_dim));
          const double ds = with_.score_gradient(with_.score_weight(p) * (dp - delta));
          for (index c = 0; c < s.dim; ++c) {
            dq[n(c)] = with_.query_sum(dq[n(c)] + ds * a.key.value(b, g, j, c));
            dk[n(j)][n(c)] = with_.key_sum(dk[n(j)][n(c)] + ds * a.query.value(b, h, i, c));
          }
          for (index c = 0; c < s.value_dim; ++c)
            dv[n(j)][n(c)] = with_.key_sum(dv[n(j)][n(c)] + with_.weight(p) * a.dout.value(b, h, i, c));
        }
        for (index c = 0; c < s.dim; ++c) a.dquery.set(b, h, i, c, problem.scale() * dq[n(c)]);
      }
    for (index j = 0; j < problem.sequence(b).keys; ++j) {
      for (index c = 0; c < s.dim; ++c) a.dkey.set(b, g, j, c, with_.key_factor * problem.scale() * dk[n(j)][n(c)]);
      for (index c = 0; c < s.value_dim; ++c) a.dvalue.set(b, g, j, c, dv[n(j)][n(c)]);
    }
  }

  std::string name_;
  EmulatedGradients with_;
};

}  // namespace

SharedKernel EmulatedGradients::kernel(std::string name) const {
  return std::make_shared<WithGradients>(std::move(name), *this);
}

}  // namespace attestone
