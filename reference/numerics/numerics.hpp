// SPDX-License-Identifier: Apache-2.0
// A kernel's declared arithmetic, stage by stage: what it rounds, to which format and how. Tolerances follow from this
// and the inputs.
#pragma once

#include "reference/numerics/gradient_stage.hpp"
#include "reference/numerics/invariance.hpp"
#include "reference/numerics/merge_stage.hpp"
#include "reference/numerics/output_stage.hpp"
#include "reference/numerics/score_stage.hpp"
#include "reference/numerics/value_stage.hpp"
#include "reference/numerics/weight_stage.hpp"

namespace attestone {

/// Symbols in brackets are those of docs/tolerance.md. A roundoff of 0 means that the step does not occur.
struct Numerics {
  ScoreStage score;
  WeightStage weight;
  ValueStage value;
  MergeStage merge;
  GradientStage gradient;
  OutputStage output;
  index tile_queries = 0;                   ///< queries per tile, for the place of an error; 0: unknown
  Invariance invariant = Invariance::none;  ///< what the order of a row's operations does not depend on
};

/// visit(name, stage) for each of the six.
template <class N, class Visit>
void for_each_stage(N& numerics, const Visit& visit) {
  visit("score", numerics.score);
  visit("weight", numerics.weight);
  visit("value", numerics.value);
  visit("merge", numerics.merge);
  visit("gradient", numerics.gradient);
  visit("output", numerics.output);
}

/// Gives every stage the same accumulator.
inline void set_accumulators(Numerics& numerics, const Accumulator& accumulator) {
  for_each_stage(numerics, [&](const char*, Stage& stage) { stage.accumulator = accumulator; });
}

}  // namespace attestone
