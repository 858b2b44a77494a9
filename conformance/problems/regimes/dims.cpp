// SPDX-License-Identifier: Apache-2.0
// Channels of queries and keys.
#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  const auto drawn = [](const std::vector<index>& dims) {
    return [dims](Problem& problem, Draws& draws) { problem.shape.dim = problem.shape.value_dim = draws.one_of(dims); };
  };
  const auto within = [](index least, index most, bool of_eights) {
    return [=](const Problem& problem) {
      const index dim = problem.shape.dim;
      return least <= dim && dim <= most && (dim % 8 == 0) == of_eights;
    };
  };
  return {{"odd", drawn({1, 3, 7, 10, 20, 33, 61}), within(1, 64, false)},
          {"usual", drawn({8, 16, 32}), within(8, 63, true)},
          {"64", drawn({64}), within(64, 64, true)},
          {"odd_wide", drawn({65, 68, 76, 100, 117, 130, 165, 251}), within(65, 256, false)},
          {"wide", drawn({72, 80, 96}), within(72, 127, true)},
          {"128", drawn({128}), within(128, 128, true)},
          {"very_wide", drawn({136, 160, 192, 256}), within(136, 256, true)}};
}

const Registration<Axis> registered{{
    .name = "dim",
    .aim = "tiles of channels, vectors that do not divide them, kernels compiled for some widths",
    .turn = 1,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
