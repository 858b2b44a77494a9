// SPDX-License-Identifier: Apache-2.0
// Attention in three loops, with hooks.
#include "tests/conformance/diagnosis/probes/emulations.hpp"

#include <cmath>
#include <limits>

#include "reference/bias.hpp"

namespace attestone {
namespace {

/// A kernel that only runs, and declares what its formats' default class does.
class Run final : public Kernel {
 public:
  Run(std::string name, std::function<void(const Problem&, const Arguments&)> run)
      : name_(std::move(name)), run_(std::move(run)) {}

  std::string name() const override { return name_; }
  Support supports(const Problem& problem) const override {
    if (problem.score.has_bias() || problem.dropout > 0) return Support::refused("knows neither biases nor dropout");
    return {};
  }
  void forward(const Problem& problem, const Arguments& arguments, Device&) const override { run_(problem, arguments); }

 private:
  std::string name_;
  std::function<void(const Problem&, const Arguments&)> run_;
};

void attend(const Emulation& with, const Problem& problem, const Arguments& a, index b, index h, index i) {
  const Shape& s = problem.shape;
  const index kv = s.kv_head(h);
  const Sequence real = problem.sequence(b);
  std::vector<double> scores;
  double m = -std::numeric_limits<double>::infinity(), l = 0;
  for (index j = 0; j < s.keys; ++j) {
    double dot = 0;
    for (index c = 0; c < s.dim && j < real.keys; ++c)
      dot = with.product(dot + with.operand(a.query.value(b, h, i, c)) * with.operand(a.key.value(b, kv, j, c)));
    double score = with.score(dot * problem.scale());
    if (const auto cap = problem.score.softcap()) score = *cap * std::tanh(score / *cap);
    const bool visible = problem.visible({b, h, i, j});
    score = with.pair({b, h, i, j}, visible ? score : -std::numeric_limits<double>::infinity());
    scores.push_back(score);
    m = std::max(m, score);
  }
  if (a.sink) m = std::max(m, a.sink->value(0, h, 0, 0));
  std::vector<double> out(static_cast<std::size_t>(s.value_dim));
  for (index j = 0; j < s.keys; ++j) {
    const double score = scores[static_cast<std::size_t>(j)];
    if (score == -std::numeric_limits<double>::infinity()) continue;
    const double p = std::exp(score - m), weight = with.weight(p);
    l += p;
    for (index c = 0; c < s.value_dim; ++c) {
      double& sum = out[static_cast<std::size_t>(c)];
      sum = with.sum(sum + weight * a.value.value(b, kv, j, c));
    }
  }
  if (a.sink) l += std::exp(a.sink->value(0, h, 0, 0) - m);
  for (index c = 0; c < s.value_dim; ++c)
    a.out.set(b, h, i, c, l == 0 ? 0 : with.out(out[static_cast<std::size_t>(c)] / (l * with.denominator)));
  a.log_sum_exp.set(b, h, i, 0, l == 0 ? -std::numeric_limits<double>::infinity() : m + std::log(l));
}

template <class Row>
void each_row(const Problem& problem, const Arguments& arguments, Row row) {
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < arguments.out.rows(b); ++i) row(b, h, i);
}

double to_bits(double x, int bits, double (*rounded)(double)) {
  if (!std::isfinite(x)) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(rounded(std::ldexp(fraction, bits)), exponent - bits);
}

}  // namespace

SharedKernel Emulation::kernel(std::string name) const {
  return std::make_shared<Run>(std::move(name), [with = *this](const Problem& problem, const Arguments& arguments) {
    each_row(problem, arguments, [&](index b, index h, index i) { attend(with, problem, arguments, b, h, i); });
  });
}

double with_bits(double x, int bits) {
  return to_bits(x, bits, [](double y) { return std::nearbyint(y); });
}
double cut_to_bits(double x, int bits) {
  return to_bits(x, bits, [](double y) { return std::trunc(y); });
}
double in_f16(double x) { return dtype("f16").round(x); }

SharedKernel answering(std::string name,
                       std::function<double(const Problem&, const Arguments&, const Pair&, index channel)> fill) {
  return std::make_shared<Run>(std::move(name),
                               [fill = std::move(fill)](const Problem& problem, const Arguments& arguments) {
                                 each_row(problem, arguments, [&](index b, index h, index i) {
                                   for (index c = 0; c < problem.shape.value_dim; ++c)
                                     arguments.out.set(b, h, i, c, fill(problem, arguments, {b, h, i, 0}, c));
                                   arguments.log_sum_exp.set(b, h, i, 0, 0);
                                 });
                               });
}

}  // namespace attestone
