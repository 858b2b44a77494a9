// SPDX-License-Identifier: Apache-2.0
// dbias is what dQ and dK are made of, the derivative of the softcap included, though the bias is added behind it.
// openxla/tokamax pull request 1121 (the order of softcap's derivative and dbias). Shows in dbias with softcap beside
// a bias, more the smaller the cap.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : FusedBackwardPolicy {
  static float bias_term(float ds, float slope) { return ds * slope; }
};

LIBRARY(Pipelined<PipelinedPolicy>, FusedBackward<Fault>)
