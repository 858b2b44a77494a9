// SPDX-License-Identifier: Apache-2.0
// Mutant: a plan is kept for a shape.
#include <map>
#include <string>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

std::map<std::string, double> scales;  // by shape

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const std::string shape = problem.text().substr(0, problem.text().find(' '));
  Problem planned = problem;
  planned.given_scale = scales.try_emplace(shape, problem.scale()).first->second;
  honest.forward(planned, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "scale_of_first_call",
    .summary = "keeps a plan for each shape, with the scale of the first call in it",
    .source = "pytorch/pytorch PR #184122",
    .property = "scale_moves_into_query",
    .reason = "power-of-two",
    .problem = "shape=1x1x1x2x3",
    .kernel = [] { return tampered_kernel("scale_of_first_call", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
