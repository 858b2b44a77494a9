// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined host: shows with more than one sequence and an output that lies otherwise than the query:
// layout=packed_qkv, bhsd+out/strided, and the like.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PipelinedPolicy {
  static Index out_row(const Problem& p, const Sequence& s, Index h, Index row) {
    const Index stride = p.a.dim == p.a.value_dim ? p.query.stride[0] : p.out.stride[0];
    Index end = 1;  // of the output's memory: a real kernel would run past it, this one wraps
    for (int axis = 0; axis < 4; ++axis) end += (p.out.extent[axis] - 1) * p.out.stride[axis];
    const Index width = (p.a.value_dim - 1) * p.out.stride[3] + 1;
    return (s.place * stride + h * p.out.stride[1] + row * p.out.stride[2]) % std::max<Index>(1, end - width + 1);
  }
};

const Registration<Mutant> registered{{
    .name = "out_of_later_sequences_by_strides_of_query",
    .summary = "where dim and value_dim agree, the batch stride of the output is taken from the query",
    .source = "pytorch/FBGEMM PR #4796",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=2x2x16x16x16 layout=bhsd+out/strided",
    .kernel =
        [] {
          return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>(
              "out_of_later_sequences_by_strides_of_query");
        },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
