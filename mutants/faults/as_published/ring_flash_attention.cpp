// SPDX-License-Identifier: Apache-2.0
// ring-flash-attention as it was published: dQ leaves the ring in bf16, whatever format is asked for.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class QueryGradientInBf16 final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  void before_rounding(const Rank&, Buffer& dquery) const override { round_through(dtype("bf16"), dquery.all()); }
};

const Registrations<Mutant> registered{
    {.name = "ring_flash_attention/ring/as_published/dquery",
     .summary = "rounds dQ to bf16 before it is stored, whatever format is asked for",
     .source = "ring_flash_attn.py of zhuzilin/ring-flash-attention",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x1x2x1 pass=forward+backward",
     .variant = "dQ in bf16",
     .kernel =
         [] { return mesh_mutant<QueryGradientInBf16>("ring_flash_attention/ring/as_published/dquery", two_by_two); },
     .twin = [] { return mesh_twin(two_by_two); }},
};

}  // namespace
}  // namespace attestone::inline mutants
