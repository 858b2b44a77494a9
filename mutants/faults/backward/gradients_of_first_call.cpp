// SPDX-License-Identifier: Apache-2.0
// Mutant: the gradients of the first call are kept.
#include <map>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

std::map<std::string, std::uint64_t> first_answers;

/// Knows only the first element: enough for one that has seen the problem before.
void gradients_of_first_call(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                             Device& device) {
  honest.backward(problem, arguments, device);
  const View& dv = arguments.dvalue;
  if (dv.rows(0) == 0) return;
  const auto [known, fresh] = first_answers.try_emplace(problem.text(), dv.code(0, 0, 0, 0));
  if (!fresh) dv.set_code(0, 0, 0, 0, known->second);
}

const Registration<Mutant> registered{{
    .name = "gradients_of_first_call",
    .summary = "keeps its dV of the first call, whatever dO is in later ones",
    .source = "huggingface/diffusers #14265",
    .property = "gradient_sign",
    .reason = "gradient-not-linear",
    .problem = "shape=1x1x1x1x1 pass=forward+backward",
    .kernel = [] { return tampered_backward_kernel("gradients_of_first_call", gradients_of_first_call); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
