// SPDX-License-Identifier: Apache-2.0
// Mutant of the split-KV host: shows with causal masks and windows in a batch whose sequences do not fill it.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : SplitKv {
  Int mask_offset(const RowCall& call, const Sequence& /*s*/) const override { return call.a.keys - call.a.queries; }
};

const Registration<Mutant> registered{{
    .name = "causal_by_padded_extents",
    .summary = "causal masks and windows align queries and keys by the extents of the batch, not by the lengths "
               "of a sequence",
    .source = "onnx/onnx PR #8068",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x12x8 lengths=8 mask=causal",
    .kernel = [] { return row_kernel<Fault>("causal_by_padded_extents"); },
    .twin = right_split_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
