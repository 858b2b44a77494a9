// SPDX-License-Identifier: Apache-2.0
// Mutant: each device answers log_sum_exp of keys less their mean, which others have not lost.
#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "mutants/hosts/mesh.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"
#include "simulate/world/mesh_kernel.hpp"

namespace attestone::inline mutants {
namespace {

constexpr const char* local = "sage_qk_int8_pv_fp16_cuda";

void without_mean_product(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const Shape& shape = problem.shape;
  for_each_element(arguments.log_sum_exp, [&](index b, index h, index i, index) {
    double product = 0;
    for (index c = 0; c < shape.dim; ++c) {
      double sum = 0;
      for (index j = 0; j < shape.keys; ++j) sum += arguments.key.value(b, shape.kv_head(h), j, c);
      product += arguments.query.value(b, h, i, c) * sum / static_cast<double>(shape.keys);
    }
    arguments.log_sum_exp.set(b, h, i, 0, arguments.log_sum_exp.value(b, h, i, 0) - problem.scale() * product);
  });
}

SharedKernel on_ring(const SharedKernel& kernel) {
  Scanner mesh(ring_of_two.mesh);
  return std::make_shared<MeshKernel>(make_rank_program(ring_of_two.method), kernel, read_mesh(mesh));
}

const Registration<Mutant> registered{{
    .name = "ring_merges_without_means",
    .summary = "parts of a ring are merged by a log_sum_exp that lacks the product with the mean of each part's K",
    .source = "thu-ml/SageAttention, sageattention/core.py, return_lse",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x8x4 dtype=f16 fill=channel_offset",
    .kernel =
        [] {
          return changed(on_ring(changed(make_kernel(local), {.forward = without_mean_product})),
                         {.name = "ring_merges_without_means"});
        },
    .twin = [] { return on_ring(make_kernel(local)); },
}};

}  // namespace
}  // namespace attestone::inline mutants
