// SPDX-License-Identifier: Apache-2.0
// A thread goes on computing, on memory of its own, after the call has returned.
// expect: left-thread --property=value_bound 'shape=1x2x5x9x8'
#include <atomic>
#include <thread>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static std::atomic<int64_t> work{0};
  std::thread([] {
    for (;;) ++work;
  }).detach();
  return hostile::answer(args);
}
