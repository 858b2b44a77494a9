// SPDX-License-Identifier: Apache-2.0
// A ring against the direction of others: places of even number send first, the others receive first.
#pragma once

#include "tests/conformance/meshes/right_programs/parts.hpp"
#include "tests/conformance/meshes/right_programs/right_program.hpp"
#include "tests/conformance/meshes/right_programs/right_programs.hpp"

namespace attestone {

/// Passes of some heads over several places. Messages are plain sends and receives, each awaited before the next one.
Task<RankAnswer> against_forward(Rank&, HeldHeads, RankInputs);
Task<RankGradients> against_backward(Rank&, HeldHeads, RankSaved);

/// The costs of both passes on paper, gradients stored.
PaperAnswer against_forward(Paper&, const Sizes&, PaperInputs);
PaperGradients against_backward(Paper&, const Sizes&, bool keeps_out, PaperSaved);

}  // namespace attestone
