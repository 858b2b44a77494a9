// SPDX-License-Identifier: Apache-2.0
// Bounds of gradients that everything stays below say nothing: wrong gradients must exceed them.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/reference/error_bound/gradient_case.hpp"
#include "tests/test_name.hpp"

namespace attestone::emulation {
namespace {

double share(const NamedShares& shares, const std::string& gradient) {
  const auto found =
      std::find_if(shares.begin(), shares.end(), [&](const auto& named) { return named.first == gradient; });
  return found->second.probabilistic;
}

const BackwardRecipe flash{.forward = {.name = "flash", .summation = Summation::fused, .tile = 64, .base_two = true}};

class GradientPowers : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::string line(const std::string& shape) const {
    return fmt::format("{} dtype={}", shape, std::get<0>(GetParam()));
  }
  const std::string& fill() const { return std::get<1>(GetParam()); }
  void expect_wrong(double found, const std::string& what) const {
    fmt::print("{:10.1f}  {}, {}, {}\n", found, what, fill(), std::get<0>(GetParam()));
    EXPECT_GT(found, 1) << what;
  }
};

TEST_P(GradientPowers, GradientsTimesAFactor) {
  const GradientCase here(line("shape=1x1x64x128x32"), fill());
  for (const double times : {0.0, -1.0, 0.5}) {
    Gradients wrong = here.run(flash);
    multiply(wrong.query.view(), times);
    multiply(wrong.key.view(), times);
    multiply(wrong.value.view(), times);
    const NamedShares shares = here.shares(wrong);
    for (const std::string gradient : {"dQ", "dK", "dV"})
      expect_wrong(share(shares, gradient), fmt::format("{} times {}", gradient, times));
  }
}

TEST_P(GradientPowers, KeysAndValuesExchanged) {
  const GradientCase here(line("shape=1x1x64x128x32"), fill());
  Gradients wrong = here.run(flash);
  std::swap(wrong.key, wrong.value);
  const NamedShares shares = here.shares(wrong);
  expect_wrong(share(shares, "dK"), "dV as dK");
  expect_wrong(share(shares, "dV"), "dK as dV");
}

/// A kernel is wrong if one of its gradients is.
double share_of_kernel(const GradientCase& here, Forgotten forgotten) {
  BackwardRecipe recipe = flash;
  recipe.forgotten = forgotten;
  const NamedShares shares = here.shares(here.run(recipe));
  return std::max(share(shares, "dQ"), share(shares, "dK"));
}

TEST_P(GradientPowers, FactorsForgotten) {
  const GradientCase plain(line("shape=1x1x64x128x32"), fill());
  expect_wrong(share_of_kernel(plain, Forgotten::scale), "no scale");
  expect_wrong(share_of_kernel(plain, Forgotten::delta), "no delta");
  const GradientCase dropped(line("shape=1x1x64x128x32 dropout=0.5"), fill());
  expect_wrong(share_of_kernel(dropped, Forgotten::dropout_of_dp), "no dropout of dP");
  const GradientCase capped(line("shape=1x1x64x128x32 score=softcap:5"), fill());
  expect_wrong(share_of_kernel(capped, Forgotten::derivative), "no derivative of softcap:5");
}

/// Scores of about 1 leave 1 - t^2 = 0.999 under softcap:30, which bf16 and a tanh of 2^-11 cannot tell from 1.
TEST(GradientPower, TheDerivativeOfAWideSoftcapShowsOnLargeScores) {
  for (const std::string dtype : {"f32", "f16", "bf16"}) {
    const GradientCase capped(fmt::format("shape=1x1x64x128x32 score=softcap:30 dtype={}", dtype), "times three");
    EXPECT_GT(share_of_kernel(capped, Forgotten::derivative), 1) << dtype;
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, GradientPowers,
                         testing::Combine(testing::Values("f32", "f16", "bf16"), testing::Values("normal", "uniform")),
                         by_parameter);

}  // namespace
}  // namespace attestone::emulation
