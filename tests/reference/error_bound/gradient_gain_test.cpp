// SPDX-License-Identifier: Apache-2.0
// The gains of gradients: correct kernels stay within the bounds, and factors show that no element can see.
#include "reference/error_bound/gradient/gradient_gain.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/reference/error_bound/gradient_case.hpp"

namespace attestone::emulation {
namespace {

std::vector<double> doubles(const std::vector<long double>& values) { return {values.begin(), values.end()}; }

std::vector<double> packed(const ConstView& view) {
  std::vector<double> all;
  const auto& [batches, heads, rows, channels] = view.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) all.push_back(view.value(b, h, r, c));
  return all;
}

struct GainOfGradient {
  std::string name;
  double gain, bound;
};

std::vector<GainOfGradient> gains(const GradientCase& here, const Gradients& got) {
  const TrueGradients truth{
      doubles(here.exact.query.values), doubles(here.exact.key.values), doubles(here.exact.value.values), {}, {}};
  GradientGainTerms terms = gradient_gain_terms(here.problem, here.inputs, here.numerics, truth, here.bounds);
  std::vector<GainOfGradient> all;
  const auto add = [&](const std::string& name, const std::vector<double>& right, const Tensor& answer,
                       GainTerms& terms_of_it) {
    Gain gain;
    gain.add(right, packed(answer.view()), std::move(terms_of_it));
    all.push_back({name, gain.gain(), gain.bound()});
  };
  add("dQ", truth.query, got.query, terms.query);
  add("dK", truth.key, got.key, terms.key);
  add("dV", truth.value, got.value, terms.value);
  return all;
}

const BackwardRecipe flash{.forward = {.name = "flash", .summation = Summation::fused, .tile = 64, .base_two = true}};

// slow: judges many problems
TEST(GradientGain, OfCorrectKernelsStaysWithinItsBound) {
  for (const std::string dtype : {"f32", "f16", "bf16"})
    for (const std::string fill : {"normal", "uniform", "ties, constant value", "offset value", "repeated keys",
                                   "small integers", "sink and tail"})
      for (index seed = 1; seed <= effort(1, 5); ++seed) {
        const std::string line = fmt::format("shape=1x2/1x40x100x16 mask=causal dtype={} seed={}", dtype, seed);
        const GradientCase here(line, fill);
        for (const DeltaFrom from : {DeltaFrom::out, DeltaFrom::rows}) {
          BackwardRecipe recipe = flash;
          recipe.delta_from = from;
          for (const auto& [name, gain, bound] : gains(here, here.run(recipe))) {
            EXPECT_FALSE(std::abs(gain - 1) > bound) << name << ", " << fill << ", '" << line << "': " << gain;
            fmt::print("{:9.2g} of {:9.2g}: {}, {}, {}\n", std::abs(gain - 1), bound, name, fill, dtype);
          }
        }
      }
}

/// On positive inputs dQ is a cancelling sum, and rounding O alone explains errors as large as half an element.
TEST(GradientGain, RejectsHalfOfDQOnPositiveInputs) {
  for (const std::string dtype : {"f16", "bf16"})
    for (const index keys : {128, static_cast<int>(effort(256, 1024))}) {
      const GradientCase here(fmt::format("shape=1x1x32x{}x64 dtype={}", keys, dtype), "uniform");
      Gradients got = here.run(flash);
      const GainOfGradient right = gains(here, got).front();
      EXPECT_LE(std::abs(right.gain - 1), right.bound);
      EXPECT_LT(right.bound, 0.5);
      multiply(got.query.view(), 0.5);
      fmt::print("{} keys, {}: gain {:.4f}, bound {:.4f}; half of dQ has {:.2f} of the elements' bounds\n", keys, dtype,
                 right.gain, right.bound, here.shares(got).front().second.probabilistic);
    }
}

}  // namespace
}  // namespace attestone::emulation
