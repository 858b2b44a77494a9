// SPDX-License-Identifier: Apache-2.0
// Declarations that every bound has to grow with.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reference/numerics/declaration.hpp"

namespace attestone {

/// By its name, a declaration that allows more than a default class does.
using DeclaredErrors = std::vector<std::pair<std::string, void (*)(Numerics&)>>;

/// The errors declared of the forward pass that gradients feel as well; and `more`.
inline DeclaredErrors declared_errors(const DeclaredErrors& more) {
  DeclaredErrors all{
      {"accumulator_roundoff", [](Numerics& n) { n = with_declared(n, "accumulator_roundoff=0x1p-22", "it"); }},
      {"accumulator_truncates", [](Numerics& n) { n = with_declared(n, "accumulator_truncates=yes", "it"); }},
      {"accumulator_underflow", [](Numerics& n) { n = with_declared(n, "accumulator_underflow=1e-6", "it"); }},
      {"operand_roundoff", [](Numerics& n) { n = with_declared(n, "operand_roundoff=1e-3", "it"); }},
      {"score.keys.roundoff", [](Numerics& n) { n.score.keys.roundoff = 1e-3; }},
      {"score.keys.of_largest", [](Numerics& n) { n.score.keys.of_largest = 1e-3; }},
      {"score.keys.underflow", [](Numerics& n) { n.score.keys.underflow = 1e-3; }},
      {"value.values.roundoff", [](Numerics& n) { n.value.values.roundoff = 1e-3; }},
      {"value.values.of_largest", [](Numerics& n) { n.value.values.of_largest = 1e-3; }},
      {"value.values.underflow", [](Numerics& n) { n.value.values.underflow = 1e-3; }},
      {"score_roundoff", [](Numerics& n) { n.score.stored.roundoff = 1e-3; }},
      {"exp_error", [](Numerics& n) { n.weight.exp_error *= 2; }},
      {"tanh_error", [](Numerics& n) { n.score.tanh_error *= 2; }},
      {"score.tanh_absolute_error", [](Numerics& n) { n.score.tanh_absolute_error = 1e-3; }},
      {"weight_roundoff", [](Numerics& n) { n.weight.cast.roundoff = 1e-3; }},
      {"output_roundoff", [](Numerics& n) { n.output.cast.roundoff *= 2; }},
      {"output_underflow", [](Numerics& n) { n.output.cast.underflow = 1e-3; }},
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace attestone
