// SPDX-License-Identifier: Apache-2.0
// Mutant: e4m3 with a scale for each head, P in e4m3 up to 2^8. It shows where query heads share a kv head.
#include "mutants/hosts/seventh_batch/kernel.hpp"
#include "mutants/hosts/seventh_batch/softmax.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::seventh_batch {
namespace {

template <bool fault>
struct Operands {
  std::vector<coding::Coded> q;  // of all heads
  std::vector<float> q_descale;
  coding::Coded k, v;
  index head = 0, place = 0;
  float scale = 0;

  void open(const Call& call, index b, index h) {
    scale = call.scale, head = h, place = fault ? h / call.group : h;
    if (h == 0) {
      q.clear();
      q_descale.assign(static_cast<std::size_t>(call.heads), 0.0f);
      for (index g = 0; g < call.heads; ++g) {
        q.push_back(coding::by_rows<coding::E4m3>(call.query_rows(b, g), call.queries));
        q_descale[static_cast<std::size_t>(fault ? g / call.group : g)] = q.back().scales[0];
      }
    }
    k = coding::by_rows<coding::E4m3>(call.key_rows(b, h / call.group), call.keys);
    v = coding::by_rows<coding::E4m3>(call.value_rows(b, h / call.group), call.keys);
  }
  float score(index i, index j) const {
    return coding::dot(q[static_cast<std::size_t>(head)].codes.row(i), k.codes.row(j), k.codes.cols) *
           (q_descale[static_cast<std::size_t>(place)] * k.scales[0] * scale);
  }
  const float* value(index j) const { return v.codes.row(j); }
  float value_factor(index) const { return v.scales[0]; }
  float lse_share(index) const { return 0; }
};

template <bool fault>
SharedKernel made(const char* name) {
  return kernel(
      name, softmax::tiles<Operands<fault>, softmax::WeightE4m3, 128>,
      {.numerics =
           "score.query_codes.rule=e4m3 score.query_codes.sharing=head "
           "score.key_codes.rule=e4m3 score.key_codes.sharing=head value.codes.rule=e4m3 value.codes.sharing=head "
           "weight_roundoff=0x1p-4 weight_underflow=0x1p-18 weight_smallest_normal=0x1p-14 "
           "weight.reference_below=5.5452 weight.tile_keys=128"});
}

SharedKernel right() { return made<false>("right_e4m3_heads"); }

const Registration<Twin> twin{{
    .name = "right_e4m3_heads",
    .summary = "e4m3 with a scale for each head, P in e4m3 up to 2^8",
    .kernel = right,
}};

const Registration<Mutant> registered{{
    .name = "query_scale_of_last_head_of_group",
    .summary = "scales of Q have a place for each kv head: all query heads of a group write theirs there, the last "
               "one stays, and all are read with it",
    .property = "codes_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x2/1x2x4x4 dtype=bf16",
    .kernel = [] { return made<true>("query_scale_of_last_head_of_group"); },
    .twin = right,
}};

}  // namespace
}  // namespace attestone::inline mutants::seventh_batch
