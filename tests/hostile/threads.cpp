// SPDX-License-Identifier: Apache-2.0
// Kernels whose threads and timers go on after the call has returned.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

// A thread goes on computing, on memory of its own, after the call has returned.
// expect: left-thread --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_a_thread_working {

int attestone_forward(const attestone_args* args) {
  static std::atomic<int64_t> work{0};
  std::thread([] {
    for (;;) ++work;
  }).detach();
  return hostile::answer(args);
}

}  // namespace leaves_a_thread_working

// A thread goes on writing the output after the call has returned.
// expect: late-write --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_a_thread_writing {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  volatile float* const out = hostile::out(args);
  std::thread([out] {
    for (;;) *out = *out;
  }).detach();
  return status;
}

}  // namespace leaves_a_thread_writing

// A thread goes on computing when the call has returned, a third of the time.
// expect: left-thread --property=value_bound 'shape=1x2x5x9x8'
namespace naps {

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

}  // namespace naps

// A thread computes for five seconds after each call, and then ends.
// expect: left-thread --property=value_bound 'shape=1x2x5x9x8'
namespace works_a_while_longer {

int attestone_forward(const attestone_args* args) {
  std::thread([] {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    for (volatile int64_t work = 0; std::chrono::steady_clock::now() < until;) work = work + 1;
  }).detach();
  return hostile::answer(args);
}

}  // namespace works_a_while_longer

// A thread sleeps for a hundredth of a second after the call, and then writes the output.
// expect: late-write --property=guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace writes_a_little_later {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  volatile float* const out = hostile::out(args);
  std::thread([out] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    *out = 17;
  }).detach();
  return status;
}

}  // namespace writes_a_little_later

// A timer's signal finishes the output when the call has returned.
// expect: late-write|crashed --property=repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace writes_from_a_timer {

namespace {

volatile float* late = nullptr;

}  // namespace

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  late = hostile::out(args);
  std::signal(SIGALRM, [](int) { *late = 17; });
  const itimerval soon{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
  return status;
}

}  // namespace writes_from_a_timer

// A thread goes on writing the output after the call, and a handler hides that it is not there any more.
// expect: late-write|left-thread --property=value_bound 'shape=1x2x5x9x8'
namespace writes_late_and_survives {

int attestone_forward(const attestone_args* args) {
  struct sigaction action {};
  action.sa_handler = [](int) { std::this_thread::sleep_for(std::chrono::hours(1)); };
  sigaction(SIGSEGV, &action, nullptr);
  const int status = hostile::answer(args);
  volatile float* const out = hostile::out(args);
  std::thread([out] {
    for (;;) *out = 17;
  }).detach();
  return status;
}

}  // namespace writes_late_and_survives

// A thread fails an assertion shortly after the call has returned.
// expect: crashed --property=repeats_bitwise 'shape=1x2x5x9x8'
namespace aborts_in_a_thread {

int attestone_forward(const attestone_args* args) {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::abort();
  }).detach();
  return hostile::answer(args);
}

}  // namespace aborts_in_a_thread

// A thread follows a null pointer when the call has long returned.
// expect: crashed --property=repeats_bitwise 'shape=1x2x5x9x8'
namespace crashes_in_a_thread_later {

int attestone_forward(const attestone_args* args) {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    static volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
  }).detach();
  return hostile::answer(args);
}

}  // namespace crashes_in_a_thread_later

// A thread prints when the call has returned.
// expect: printed --property=repeats_bitwise 'shape=1x2x5x9x8'
namespace prints_from_a_thread_later {

int attestone_forward(const attestone_args* args) {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    static_cast<void>(!write(STDOUT_FILENO, "done\n", 5));
  }).detach();
  return hostile::answer(args);
}

}  // namespace prints_from_a_thread_later

// Keeps a pool of threads between calls, which sleep until there is work.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_threads_that_sleep {

namespace {

/// Never destroyed: its threads wait until the process ends.
struct Pool {
  std::mutex mutex;
  std::condition_variable work, done;
  const attestone_args* args = nullptr;
  int status = 0;

  Pool() {
    for (int i = 0; i < 8; ++i) std::thread([this] { serve(); }).detach();
  }
  void serve() {
    for (std::unique_lock lock(mutex);;) {
      work.wait(lock, [this] { return args; });
      status = hostile::answer(args);
      args = nullptr;
      done.notify_all();
    }
  }
  int call(const attestone_args* now) {
    std::unique_lock lock(mutex);
    args = now;
    work.notify_one();
    done.wait(lock, [this] { return !args; });
    return status;
  }
};

}  // namespace

int attestone_forward(const attestone_args* args) {
  static Pool& pool = *new Pool;
  return pool.call(args);
}

}  // namespace decoy_threads_that_sleep

// A thread of its own spins for a fifth of a second in hope of more work before it sleeps, as LLVM's OpenMP does.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_threads_that_spin_first {

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

}  // namespace decoy_threads_that_spin_first
