// SPDX-License-Identifier: Apache-2.0
// Mutant: scales of K are 0.
#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void without_key_scales(const Kernel& honest, const Problem& problem, const Arguments& given, Device& device) {
  Inputs zeros(problem);
  zeros.key.fill_code(0);
  Arguments arguments = given;
  arguments.key = zeros.key.view();
  honest.forward(problem, arguments, device);
}

const Registration<Mutant> registered{{
    .name = "key_scales_read_before_set",
    .summary = "scales of K are taken over before they are set, and are 0: rows answer the mean of V",
    .source = "InfiniTensor/InfiniLM PR #553",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x2x4 dtype=f16",
    .kernel =
        [] {
          return changed(make_kernel("coded_cache"),
                         {.name = "key_scales_read_before_set", .forward = without_key_scales});
        },
    .twin = [] { return make_kernel("coded_cache"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
