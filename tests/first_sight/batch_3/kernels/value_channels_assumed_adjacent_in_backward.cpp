// SPDX-License-Identifier: Apache-2.0
// The backward pass reads V with its strides of batch, head and row, and channels one behind the other.
// pytorch/pytorch pull request 187506 (CPU flash attention wrong where the innermost dimension is not contiguous).
// Shows in dQ, dK and delta where V's channels lie apart: layout=transposed, bhsd+value/transposed.
#include "../hosts/door.hpp"
#include "../hosts/persistent.hpp"
#include "../hosts/two_pass_backward.hpp"

struct Fault : TwoPassPolicy {
  static float value_channel(const Problem& p, Index row, Index c) { return p.value.get(row + c); }
};

LIBRARY(Persistent<PersistentPolicy>, TwoPassBackward<Fault>)
