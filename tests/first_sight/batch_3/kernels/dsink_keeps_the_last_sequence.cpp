// SPDX-License-Identifier: Apache-2.0
// The sink's gradient is stored by each sequence, not added. ROCm/aiter pull request 1576 (the gradient of a sink is a
// sum over all but the head). Shows in dsink with more than one sequence.
#include "../hosts/door.hpp"
#include "../hosts/persistent.hpp"
#include "../hosts/two_pass_backward.hpp"

struct Fault : TwoPassPolicy {
  static void add_sink(float& total, float sequence_sum) { total = sequence_sum; }
};

LIBRARY(Persistent<PersistentPolicy>, TwoPassBackward<Fault>)
