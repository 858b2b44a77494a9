// SPDX-License-Identifier: Apache-2.0
// The formats of inputs and outputs.
#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<Regime> regimes() {
  std::vector<Regime> all;
  const auto add = [&](const std::string& name, const DType& input, const DType& output) {
    all.push_back(
        {name, [input, output](Problem& problem, Draws&) { problem.input = input, problem.output = output; },
         [input, output](const Problem& problem) { return problem.input == input && problem.output == output; }});
  };
  for (const auto& [name, format] : Registry<DType>::all())
    if (format.drawing.turn > 0 && !format.needs_scales) {
      add(name, format, format);
      if (format.storage_bits() < 32) add(name + "_to_f32", format, dtype("f32"));
    }
  return all;
}

const Registration<Axis> registered{{
    .name = "format",
    .aim = "what is rounded, saturates or underflows in one format only",
    .turn = 13,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
