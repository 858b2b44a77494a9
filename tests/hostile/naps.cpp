// SPDX-License-Identifier: Apache-2.0
// A thread goes on computing when the call has returned, a third of the time.
// expect: left-thread --property=value_bound 'shape=1x2x5x9x8'
#include <chrono>
#include <thread>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  using std::chrono::milliseconds;
  static const bool started = [] {
    std::thread([] {
      for (volatile int64_t work = 0;;) {
        const auto until = std::chrono::steady_clock::now() + milliseconds(10);
        while (std::chrono::steady_clock::now() < until) work = work + 1;
        std::this_thread::sleep_for(milliseconds(20));
      }
    }).detach();
    return true;
  }();
  static_cast<void>(started);
  return hostile::answer(args);
}
