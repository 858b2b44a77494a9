// SPDX-License-Identifier: Apache-2.0
// Mutant: documents that are packed behind each other see each other.
#include "backends/catalogue.hpp"
#include "conformance/mutants/machinery/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

AnyKernel kernel() {
  const AnyKernel honest = make_kernel("dense");
  AnyKernel packed = honest;
  packed.name = "documents_ignored";
  packed.run = [honest](const Problem& problem, Arguments& arguments) {
    if (problem.mask.rule() != "document") return honest.run(problem, arguments);
    Problem unmasked = problem;
    unmasked.mask = Mask();
    Arguments without_bytes = arguments;
    without_bytes.mask = nullptr;
    honest.run(unmasked, without_bytes);
  };
  return packed;
}

const Registration<Mutant> registered{{
    .name = "documents_ignored",
    .summary = "leaves out the test for documents",
    .source = "AI-Hypercomputer/maxtext #4476",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x4x2 mask=document:2",
    .variant = "mask ignored",
    .kernel = [] { return kernel(); },
    .twin = [] { return make_kernel("dense"); },
}};

}  // namespace
}  // namespace attestone
