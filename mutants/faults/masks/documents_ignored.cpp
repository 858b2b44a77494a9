// SPDX-License-Identifier: Apache-2.0
// Mutant: documents that are packed behind each other see each other.
#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void packed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  if (problem.mask.rule() != "document") return honest.forward(problem, arguments, device);
  Problem unmasked = problem;
  unmasked.mask = Mask();
  Arguments without_bytes = arguments;
  without_bytes.mask = nullptr;
  honest.forward(unmasked, without_bytes, device);
}

const Registration<Mutant> registered{{
    .name = "documents_ignored",
    .summary = "leaves out the test for documents",
    .source = "AI-Hypercomputer/maxtext #4476",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x4x2 mask=document:2",
    .variant = "mask ignored",
    .kernel = [] { return changed(make_kernel("dense"), {.name = "documents_ignored", .forward = packed}); },
    .twin = [] { return make_kernel("dense"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
