// SPDX-License-Identifier: Apache-2.0
// Errors are small: what all of them make together is what each makes alone, added up, and the best signs follow.
#include "tests/reference/error_bound/gradient/adversary.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "reference/error_bound/gradient/gradient_gain.hpp"

namespace attestone::emulation {
namespace {

template <class Gradients>
const auto& gradient_of(const Gradients& all, const std::string& name) {
  if (name == "dQ") return all.query;
  if (name == "dK") return all.key;
  if (name == "dV") return all.value;
  return name == "dbias" ? *all.bias : *all.sink;
}

struct Bounds {
  Extended deterministic, probabilistic;
};

Bounds bounds_of(const ElementBounds& all, std::size_t at) {
  std::size_t next = 0;
  const auto& [batches, heads, rows, channels] = all.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c)
          if (next++ == at)
            return {static_cast<Extended>(all.deterministic(b, h, r, c)),
                    static_cast<Extended>(all.probabilistic(b, h, r, c))};
  return {0, 0};
}

/// The largest error of what `read` takes from the gradients.
template <class Read>
Extended largest_error(const GradientCase& here, const Form& form, Extended exact, const Read& read) {
  Roundings roundings;
  const auto value = [&] {
    roundings.restart();
    return read(erring_gradients(here.problem, here.inputs, here.numerics, form, roundings));
  };
  const Extended unmoved = value();
  EXPECT_LE(std::abs(unmoved - exact), 1e-14 * std::max(Extended{1}, std::abs(exact))) << "the kernel is wrong";
  std::vector<int> best(roundings.asked());
  for (std::size_t at = 0; at < best.size(); ++at) {
    roundings.signs.assign(best.size(), 0);
    roundings.signs[at] = 1;
    best[at] = value() < unmoved ? -1 : 1;
  }
  Extended largest = 0;
  for (const int way : {1, -1}) {
    roundings.signs = best;
    for (int& sign : roundings.signs) sign *= way;
    Extended error = std::abs(value() - exact);
    // What counts only together with others.
    for (int& sign : roundings.signs) {
      sign = -sign;
      const Extended turned = std::abs(value() - exact);
      if (turned < error) sign = -sign;
      error = std::max(error, turned);
    }
    largest = std::max(largest, error);
  }
  return largest;
}

void expect_share(double share, double least, const std::string& what, const GradientCase& here) {
  fmt::print("  {:.4f} {}, {}\n", share, what, here.problem.text());
  EXPECT_LE(share, 1) << what;
  EXPECT_GE(share, least) << what;
}

}  // namespace

void expect_reached(const GradientCase& here, const Form& form, const Element& element, double least) {
  const Extended error =
      largest_error(here, form, gradient_of(here.exact, element.gradient).values[element.at],
                    [&](const ErringGradients& got) { return gradient_of(got, element.gradient).values[element.at]; });
  const Bounds bounds = bounds_of(gradient_of(here.bounds, element.gradient), element.at);
  const std::string what = fmt::format("{}[{}]", element.gradient, element.at);
  expect_share(error == 0 ? 0 : static_cast<double>(error / bounds.deterministic), least, what, here);
  EXPECT_LE(error, bounds.probabilistic) << what;
}

void expect_gain_reached(const GradientCase& here, const Form& form, const std::string& gradient, double least) {
  const auto doubles = [](const RealTensor& x) { return std::vector<double>(x.values.begin(), x.values.end()); };
  TrueGradients truth{doubles(here.exact.query), doubles(here.exact.key), doubles(here.exact.value), {}, {}};
  if (here.exact.bias) truth.bias = doubles(*here.exact.bias);
  if (here.exact.sink) truth.sink = doubles(*here.exact.sink);
  GradientGainTerms terms = gradient_gain_terms(here.problem, here.inputs, here.numerics, truth, here.bounds);
  const std::vector<double> right = doubles(gradient_of(here.exact, gradient));
  Gain bound;
  const std::map<std::string, GainTerms*> of{
      {"dQ", &terms.query}, {"dK", &terms.key}, {"dV", &terms.value}, {"dbias", &terms.bias}, {"dsink", &terms.sink}};
  bound.add(right, right, std::move(*of.at(gradient)));
  const Extended error = largest_error(here, form, 1, [&](const ErringGradients& got) {
    Extended agreement = 0, size = 0;
    for (std::size_t at = 0; at < right.size(); ++at) {
      agreement += gradient_of(got, gradient).values[at] * static_cast<Extended>(right[at]);
      size += static_cast<Extended>(right[at]) * static_cast<Extended>(right[at]);
    }
    return agreement / size;
  });
  expect_share(static_cast<double>(error / static_cast<Extended>(bound.bound())), least,
               fmt::format("gain of {}", gradient), here);
}

void fill(const View& view, double x) {
  const auto& [batches, heads, rows, channels] = view.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) view.set(b, h, r, c, x);
}

void fill_plainly(Inputs& inputs) {
  for (Tensor* ones : {&inputs.key, &inputs.value, &*inputs.dout}) fill(ones->view(), 1);
  fill(inputs.query.view(), 0);
  if (inputs.bias) fill(inputs.bias->view(), 0);
  if (inputs.sink) fill(inputs.sink->view(), 0);
}

Numerics exact_numerics() {
  Numerics numerics;
  const double largest = dtype("f64").largest();
  set_accumulators(numerics, {.roundoff = 0, .largest = largest, .underflow = 0});
  for (Cast* cast :
       {&numerics.score.prescale, &numerics.score.stored, &numerics.weight.cast, &numerics.merge.out,
        &numerics.gradient.stored, &numerics.gradient.cast, &numerics.gradient.part, &numerics.output.cast})
    cast->largest = largest;
  return numerics;
}

}  // namespace attestone::emulation
