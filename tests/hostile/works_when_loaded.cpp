// SPDX-License-Identifier: Apache-2.0
// A constructor starts a thread that computes for ever.
// expect: left-thread --property=value_bound 'shape=1x2x5x9x8'
#include <thread>

#include "tests/hostile/honest.hpp"

namespace {

const bool started = [] {
  std::thread([] {
    for (volatile int64_t work = 0;;) work = work + 1;
  }).detach();
  return true;
}();

}  // namespace

int attestone_forward(const attestone_args* args) { return started ? hostile::answer(args) : 2; }
