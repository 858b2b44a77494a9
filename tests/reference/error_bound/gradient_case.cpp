// SPDX-License-Identifier: Apache-2.0
// Comparing element by element.
#include "tests/reference/error_bound/gradient_case.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/reference/error_bound/fills.hpp"

namespace attestone::emulation {
namespace {

Problem with_backward(const std::string& line) {
  Problem problem = parse_problem(line);
  problem.backward = true;
  return problem;
}

Inputs filled(const Problem& problem, const std::string& fill, double dout_size) {
  Inputs inputs(problem);
  fill_named(fill).fill(problem, problem.seed, inputs);
  fill_logits(problem.seed, inputs);
  fill_dout(problem.seed, fill == "uniform", dout_size, inputs);
  return inputs;
}

Inputs filled_by(const Problem& problem, void (*fill)(Inputs&)) {
  Inputs inputs(problem);
  fill(inputs);
  return inputs;
}

double share(double error, double bound) {
  if (error == 0) return 0;
  const double ratio = error / bound;
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

Shares shares_of(const ElementBounds& bounds, const RealTensor& exact, const ConstView& got) {
  Shares worst{.deterministic = 0, .probabilistic = 0, .least_probabilistic = HUGE_VAL};
  const auto& [batches, heads, rows, channels] = exact.extents;
  std::size_t at = 0;
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) {
          const auto error =
              static_cast<double>(std::abs(static_cast<long double>(got.value(b, h, r, c)) - exact.values[at++]));
          const double probabilistic = share(error, bounds.probabilistic(b, h, r, c));
          worst.see({.deterministic = share(error, bounds.deterministic(b, h, r, c)),
                     .probabilistic = probabilistic,
                     .least_probabilistic = probabilistic});
        }
  return worst;
}

}  // namespace

void Shares::see(const Shares& other) {
  deterministic = std::max(deterministic, other.deterministic);
  probabilistic = std::max(probabilistic, other.probabilistic);
  least_probabilistic = std::min(least_probabilistic, other.least_probabilistic);
}

GradientCase::GradientCase(const std::string& line, const std::string& fill, double dout_size)
    : GradientCase(line, fill, dout_size, default_numerics(with_backward(line).input, with_backward(line).output)) {}

GradientCase::GradientCase(const std::string& line, const std::string& fill, double dout_size, const Numerics& declared)
    : problem(with_backward(line)),
      numerics(declared),
      inputs(filled(problem, fill, dout_size)),
      exact(problem, inputs),
      bounds(gradient_bounds(problem, inputs, numerics)) {}

GradientCase::GradientCase(const std::string& line, const Numerics& declared, void (*fill)(Inputs&))
    : problem(with_backward(line)),
      numerics(declared),
      inputs(filled_by(problem, fill)),
      exact(problem, inputs),
      bounds(gradient_bounds(problem, inputs, numerics)) {}

NamedShares GradientCase::shares(const Gradients& got) const {
  NamedShares all{{"dQ", shares_of(bounds.query, exact.query, got.query.view())},
                  {"dK", shares_of(bounds.key, exact.key, got.key.view())},
                  {"dV", shares_of(bounds.value, exact.value, got.value.view())}};
  if (bounds.bias) all.emplace_back("dbias", shares_of(*bounds.bias, *exact.bias, got.bias->view()));
  if (bounds.sink) all.emplace_back("dsink", shares_of(*bounds.sink, *exact.sink, got.sink->view()));
  return all;
}

void multiply(const View& gradient, double times) {
  const auto& [batches, heads, rows, channels] = gradient.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) gradient.set(b, h, r, c, times * gradient.value(b, h, r, c));
}

}  // namespace attestone::emulation
