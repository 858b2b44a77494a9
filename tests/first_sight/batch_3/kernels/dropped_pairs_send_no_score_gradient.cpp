// SPDX-License-Identifier: Apache-2.0
// The weights behind dropout, not those before it, are the P of dS = P (dP - delta): pairs that were dropped send
// nothing, though they take their share of the softmax. aws-neuron/nki-samples pull request 81 (item 1: softmax_y
// post-dropout). Shows in dQ, dK and dbias with dropout; dV is right.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : FusedBackwardPolicy {
  static bool takes_dropped(bool kept) { return kept; }
};

LIBRARY(Pipelined<PipelinedPolicy>, FusedBackward<Fault>)
