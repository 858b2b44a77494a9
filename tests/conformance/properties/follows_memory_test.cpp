// SPDX-License-Identifier: Apache-2.0
// Answers that follow what their memory held are told from answers that change from call to call anyway.
#include "conformance/properties/follows_memory.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <vector>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/properties/property.hpp"
#include "conformance/run/run.hpp"
#include "reference/random/random.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr Tendency nan_below_huge{.smaller = Before::nan, .larger = Before::huge};

bool coin(std::uint64_t seed, int call) {
  return Draw(seed, {0x636F696E, static_cast<std::uint32_t>(call), 0, 0}).uniform() < 0.5;
}

TEST(FollowsMemory, CallsAsOftenOverEachInAnOrderThatIsDrawn) {
  std::set<std::vector<Before>> orders;
  constexpr int seeds = 1000;
  int nan_first = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    std::vector<Before> order;
    const auto follower = [&](Before before) {
      order.push_back(before);
      return before == Before::nan ? 1.0 : 2.0;
    };
    EXPECT_TRUE(follows_memory(follower, nan_below_huge, static_cast<std::uint64_t>(seed)));
    EXPECT_EQ(std::ranges::count(order, Before::nan), calls_over_each);
    EXPECT_EQ(std::ranges::count(order, Before::huge), calls_over_each);
    nan_first += order.front() == Before::nan;
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), seeds);
  EXPECT_NEAR(nan_first, seeds / 2, 5 * std::sqrt(seeds / 4));
}

// Whatever an answer changes with, but for what its memory held.
TEST(FollowsMemory, DoesNotAccuseWhatChangesFromCallToCall) {
  using Element = double (*)(std::uint64_t seed, int call);
  const Element elements[] = {
      [](std::uint64_t, int) { return 1.0; },
      [](std::uint64_t seed, int call) { return coin(seed, call) ? 1.0 : 2.0; },
      [](std::uint64_t, int call) { return call < calls_over_each ? 1.0 : 2.0; },
      [](std::uint64_t, int call) { return call % 2 == 0 ? 1.0 : 2.0; },
      [](std::uint64_t, int call) { return call % 2 == 1 ? 1.0 : NAN; },
      [](std::uint64_t, int call) { return call % 4 < 2 ? -0.0 : 0.0; },
      [](std::uint64_t, int call) { return 1.0 * call; },
  };
  for (const Element element : elements)
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
      int call = 0;
      const auto forgetful = [&](Before) { return element(seed, call++); };
      ASSERT_FALSE(follows_memory(forgetful, nan_below_huge, seed)) << &element - elements << " " << seed;
    }
}

TEST(FollowsMemory, SeesWhatIsBeyondTheChangesFromCallToCall) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    int call = 0;
    const auto element = [&](Before before) { return coin(seed, call++) + (before == Before::nan ? 0 : 1.5); };
    EXPECT_TRUE(follows_memory(element, nan_below_huge, seed));
    EXPECT_FALSE(follows_memory(element, {.smaller = Before::huge, .larger = Before::nan}, seed));
  }
}

TEST(FollowsMemory, KnowsZerosAndNan) {
  EXPECT_TRUE(comes_before(-0.0, 0.0));
  EXPECT_FALSE(comes_before(0.0, -0.0));
  EXPECT_TRUE(comes_before(INFINITY, std::nan("")));
  EXPECT_FALSE(comes_before(std::nan(""), std::nan("")));
}

void nudge(const View& tensor, index channel, int units) {
  auto value = static_cast<float>(tensor.value(0, 0, 0, channel));
  for (; units > 0; --units) value = std::nextafter(value, INFINITY);
  tensor.set(0, 0, 0, channel, value);
}

/// How many units in the last place an element is larger over 2^100, and over an earlier answer, than over NaN.
struct Units {
  int over_huge, over_stale;
};

/// Flash, where one element of dQ differs in its last place from call to call, if it races, and the next one by what it
/// held before.
SharedKernel flash_that(bool races, Units units, std::uint64_t seed) {
  const auto backward = [=, call = std::make_shared<int>(0)](const Kernel& honest, const Problem& problem,
                                                             const BackwardArguments& arguments, Device& device) {
    const double held = arguments.dquery.value(0, 0, 0, 1);
    honest.backward(problem, arguments, device);
    if (races) nudge(arguments.dquery, 0, coin(seed, (*call)++));
    nudge(arguments.dquery, 1, std::isnan(held) ? 0 : held == 0x1p100 ? units.over_huge : units.over_stale);
  };
  return changed(make_kernel("flash"), {.backward = backward});
}

Verdict guarded(const SharedKernel& kernel, std::uint64_t seed) {
  const std::string problem = "shape=1x2x5x9x8 pass=forward+backward deterministic=0 seed=" + std::to_string(seed);
  return examine_case(*kernel, *Registry<Property>::find("gradient_guards"), parse_problem(problem));
}

TEST(FollowsMemory, OfGradientsThatRaceIsNotConcluded) {
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    const Verdict verdict = guarded(flash_that(true, {0, 0}, seed), seed);
    EXPECT_EQ(verdict.outcome, Outcome::passed) << seed << " " << verdict.reason << ": " << verdict.evidence;
  }
}

TEST(FollowsMemory, OfGradientsIsSeenWhetherOrNotTheyRace) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed)
    for (const bool races : {false, true})
      for (const Units units : {Units{200, 0}, Units{0, 200}})
        EXPECT_EQ(guarded(flash_that(races, units, seed), seed).reason, "depends-on-poison") << seed << " " << races;
}

}  // namespace
}  // namespace attestone
