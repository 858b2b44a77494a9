// SPDX-License-Identifier: Apache-2.0
// Mutant: O lacks the mean that V lost.
#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void without_mean(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const Shape& shape = problem.shape;
  for_each_element(arguments.out, [&](index b, index h, index i, index c) {
    double sum = 0;
    for (index j = 0; j < shape.keys; ++j) sum += arguments.value.value(b, shape.kv_head(h), j, c);
    if (shape.keys == 0) return;
    arguments.out.set(b, h, i, c, arguments.out.value(b, h, i, c) - sum / static_cast<double>(shape.keys));
  });
}

const Registration<Mutant> registered{{
    .name = "value_mean_not_given_back",
    .summary = "O is that of V less its mean, which nobody adds",
    .source = "arXiv 2411.10958, section 3.3",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x4 dtype=f16",
    .kernel =
        [] {
          return changed(make_kernel("sage_qk_int8_pv_fp16_cuda:accumulator=fp16:smooth_v=1"),
                         {.name = "value_mean_not_given_back", .forward = without_mean});
        },
    .twin = [] { return make_kernel("sage_qk_int8_pv_fp16_cuda:accumulator=fp16:smooth_v=1"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
