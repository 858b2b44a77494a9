// SPDX-License-Identifier: Apache-2.0
// Right: the persistent forward pass (scale on q, sink as first entry) and the backward pass in two kernels.
#include "../hosts/door.hpp"
#include "../hosts/persistent.hpp"
#include "../hosts/two_pass_backward.hpp"

LIBRARY(Persistent<PersistentPolicy>, TwoPassBackward<TwoPassPolicy>)
