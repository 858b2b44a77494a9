// SPDX-License-Identifier: Apache-2.0
// In a ragged batch the rows of V are counted from where the queries of the sequence begin. vllm-project/vllm-omni
// pull request 3525 (one cu_seqlens, made of q_len, for queries and keys of cross-attention). Shows with layout=ragged
// and query_lengths that differ from lengths before the last sequence.
#include "../hosts/door.hpp"
#include "../hosts/persistent.hpp"
#include "../hosts/two_pass_backward.hpp"

struct Fault : PersistentPolicy {
  static Index value_row(const Span& s, Index j) { return s.query_begin + j; }
};

LIBRARY(Persistent<Fault>, TwoPassBackward<TwoPassPolicy>)
