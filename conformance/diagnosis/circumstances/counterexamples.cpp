// SPDX-License-Identifier: Apache-2.0
// Drawing problems.
#include "conformance/diagnosis/circumstances/counterexamples.hpp"

#include <array>

#include "conformance/diagnosis/circumstances/variables.hpp"
#include "conformance/diagnosis/work.hpp"
#include "conformance/verdict/shrink.hpp"
#include "reference/random/draws.hpp"

namespace attestone::inline conformance {
namespace {

constexpr std::uint32_t purpose = 0x66726573;
constexpr double most_work = 0x1p19;  // multiply-adds: many of them are asked

// On both sides of every tile, and of the usual widths.
constexpr std::array<index, 26> of_many{1,  2,  3,  5,  8,  13, 15, 16, 17,  24,  31,  32,  33,
                                        40, 48, 63, 64, 65, 72, 80, 96, 100, 127, 128, 129, 160};
constexpr std::array<index, 7> of_few{1, 2, 3, 4, 5, 6, 8};

template <std::size_t n>
index one_of(const std::array<index, n>& values, Draws& draws) {
  return values[static_cast<std::size_t>(draws.integer(0, static_cast<index>(n) - 1))];
}

Problem drawn(Problem problem, Draws& draws) {
  for (const Variable& variable : variables())
    if (draws.chance(0.6))
      problem = with(problem, variable, variable.is_long ? one_of(of_many, draws) : one_of(of_few, draws));
  problem.seed = 1'000'000 + static_cast<std::uint64_t>(draws.integer(0, 999'999));
  return problem;
}

}  // namespace

std::vector<Problem> fresh_problems(const Problem& base, const std::function<bool(const Problem&)>& suits,
                                    std::size_t count, std::uint64_t seed) {
  constexpr int tries = 40;  // for each
  Draws draws(seed, purpose, 0);
  std::vector<Problem> all;
  for (std::size_t tried = 0; tried < tries * count && all.size() < count; ++tried)
    if (Problem problem = drawn(base, draws);
        multiply_adds(problem.shape) <= most_work && is_consistent(problem) && suits(problem))
      all.push_back(std::move(problem));
  return all;
}

}  // namespace attestone::inline conformance
