// SPDX-License-Identifier: Apache-2.0
// The work counter outlives the call. At its end it is set back by the items and by one, as if one worker had overshot
// it; every worker has. vllm-project/vllm-xpu-kernels pull request 457 (a persistent scheduler whose counter carries
// the previous replay's final value). Shows from the second call of a process on, with more than one thread: the first
// items are not answered.
#include "../hosts/door.hpp"
#include "../hosts/persistent.hpp"
#include "../hosts/two_pass_backward.hpp"

struct Fault : PersistentPolicy {
  static void rewind(Index items, Index) { counter() -= items + 1; }
};

LIBRARY(Persistent<Fault>, TwoPassBackward<TwoPassPolicy>)
