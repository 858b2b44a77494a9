// SPDX-License-Identifier: Apache-2.0
// How many keys there are, beside every tile of up to 512; and more than 15 or 16 bits can count.
#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

void near_a_power(Problem& problem, Draws& draws) {
  problem.shape.keys = (index{1} << draws.integer(4, 7)) + draws.one_of<index>({-1, 0, 1});
}

std::vector<Regime> regimes() {
  const auto drawn = [](index least, index most) {
    return [=](Problem& problem, Draws& draws) { problem.shape.keys = draws.integer(least, most); };
  };
  const auto within = [](index least, index most) {
    return [=](const Problem& problem) { return least <= problem.shape.keys && problem.shape.keys <= most; };
  };
  return {{"none", drawn(0, 0), within(0, 0), true},
          {"one", drawn(1, 1), within(1, 1), true},
          {"few", drawn(2, 14), within(2, 14)},
          {"at_a_tile", near_a_power, within(15, 129)},
          {"some_tiles", drawn(130, 320), within(130, 320)},
          {"many_tiles", drawn(321, 700), within(321, 700)},
          {"long", drawn(1025, 4099), within(1025, 4099)},
          {"past_15_bits", drawn(32'767, 33'100), within(32'767, 33'100), false, true},
          {"past_16_bits", drawn(65'535, 65'800), within(65'535, 65'800), false, true}};
}

const Registration<Axis> registered{{
    .name = "keys",
    .aim = "the first, the last and the only tile of keys, splits of many, and positions that leave 15 or 16 bits",
    .turn = 3,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
