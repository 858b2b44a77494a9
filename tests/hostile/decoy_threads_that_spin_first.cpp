// SPDX-License-Identifier: Apache-2.0
// A thread of its own spins for a fifth of a second in hope of more work before it sleeps, as LLVM's OpenMP does.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/hostile/honest.hpp"

namespace {

std::atomic<int> calls{0}, served{0};

void serve() {
  for (;;) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (calls == served && std::chrono::steady_clock::now() < until) continue;
    calls.wait(served);
    served = calls.load();
  }
}

}  // namespace

int attestone_forward(const attestone_args* args) {
  if (calls++ == 0) std::thread(serve).detach();
  calls.notify_one();
  while (served != calls) std::this_thread::yield();
  return hostile::answer(args);
}
