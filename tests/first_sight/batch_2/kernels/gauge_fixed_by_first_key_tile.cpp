// SPDX-License-Identifier: Apache-2.0
// The maximum of the first 32 keys stays the gauge of the row: later scores are not rescaled, and overflow or
// underflow. Thread: facebookexperimental/triton #3408: fixed-gauge row sums are not good enough for the softmax that
// backward reuses, path disabled. Shows for more than 32 keys where later scores exceed the first ones by 88, or where
// all are that much below.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  bool maximum_may_rise(index_t j0) const override { return j0 == 0; }
};

EXPORT_KERNEL(Fault, FusedBackward)
