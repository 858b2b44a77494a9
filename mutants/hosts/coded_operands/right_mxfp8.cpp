// SPDX-License-Identifier: Apache-2.0
// A right kernel: Q, K and V in MXFP8, 32 channels to a power of two; P in e4m3 between 0 and 2^8 by a running
// maximum over tiles of 64 keys. It answers the largest scores as well. Every group lies in one row: nothing hidden
// is read.
#include "mutants/hosts/coded_operands/kernel.hpp"
#include "mutants/hosts/coded_operands/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_operands {
namespace {

struct Operands {
  coding::Coded q, k;
  Matrix v;
  float scale = 0;
  LastKvHead last;

  void open(const Call& call, index b, index h) {
    const index kv = h / call.group;
    scale = call.scale;
    q = coding::by_channels<coding::Mxfp8>(call.query_rows(b, h), 32);
    if (!last.changes(call, b, h)) return;
    k = coding::by_channels<coding::Mxfp8>(call.key_rows(b, kv), 32);
    const coding::Coded values = coding::by_channels<coding::Mxfp8>(call.value_rows(b, kv), 32);
    const index per_row = (call.value_dim + 31) / 32;
    v = values.codes;
    for (index j = 0; j < v.rows; ++j)  // a power of two: exact
      for (index c = 0; c < call.value_dim; ++c)
        v.row(j)[c] *= values.scales[static_cast<std::size_t>(j * per_row + c / 32)];
  }
  float score(index i, index j) const { return coding::blocked_dot(q, i, k, j, 32) * scale; }
  const float* value(index j) const { return v.row(j); }
  float value_factor(index) const { return 1; }
  float lse_share(index) const { return 0; }
};

void forward(const Call& call) { softmax::tiles<Operands, softmax::WeightE4m3>(call); }

const Registration<Twin> registered{{
    .name = "right_mxfp8",
    .summary = "Q, K and V in MXFP8, 32 channels to a power of two; P in e4m3; answers the largest scores as well",
    .batch = "seventh",
    .kernel =
        [] {
          return kernel(
              "right_mxfp8", forward,
              {.numerics = "score.query_codes.rule=mxfp8 score.query_codes.sharing=channels score.query_codes.count=32 "
                           "score.key_codes.rule=mxfp8 score.key_codes.sharing=channels score.key_codes.count=32 "
                           "value.codes.rule=mxfp8 value.codes.sharing=channels value.codes.count=32 "
                           "weight_roundoff=0x1p-4 weight_underflow=0x1p-18 weight_smallest_normal=0x1p-14 "
                           "weight.reference_below=5.5452 weight.tile_keys=64",
               .more_limits = "scores= lengths=no max_logits=yes",
               .conventions = by_the_rules});
        },
}};

}  // namespace
}  // namespace attestone::inline mutants::coded_operands
