// SPDX-License-Identifier: Apache-2.0
// Where dim and value_dim agree, the batch stride of the output is taken from the query. pytorch/FBGEMM pull request
// 4796 ("we use the input stride as the output stride"). Shows with more than one sequence and an output that lies
// otherwise than the query: layout=packed_qkv, bhsd+out/strided, and the like.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : PipelinedPolicy {
  static Index out_row(const Problem& p, const Span& s, Index h, Index row) {
    const Index stride = p.a.dim == p.a.value_dim ? p.query.stride[0] : p.out.stride[0];
    return s.slot * stride + h * p.out.stride[1] + row * p.out.stride[2];
  }
};

LIBRARY(Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>)
