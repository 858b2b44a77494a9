// SPDX-License-Identifier: Apache-2.0
// Kernels that act when their library is loaded or unloaded: `when_loaded` runs as a constructor does.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

// An assertion fails in a constructor.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
// says: signal 6
namespace aborts_when_loaded {

void when_loaded() { std::abort(); }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace aborts_when_loaded

// A constructor follows a null pointer.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
// says: signal 11
namespace crashes_when_loaded {

void when_loaded() {
  static volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace crashes_when_loaded

// A constructor ends the process, successfully.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
// says: exit
namespace exits_when_loaded {

void when_loaded() { _exit(0); }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace exits_when_loaded

// Starts a helper in a constructor, and keeps it for later.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
namespace forks_when_loaded {

namespace {

pid_t helper = -1;

}  // namespace

void when_loaded() {
  helper = fork();
  if (helper == 0) {
    sleep(3600);
    _exit(0);
  }
}

int attestone_forward(const attestone_args* args) { return helper < 0 ? 2 : hostile::answer(args); }

}  // namespace forks_when_loaded

// A constructor waits for a device that never comes.
// expect: usage --timeout=1s --property=value_bound 'shape=1x2x5x9x8'
// says: within 1 s
namespace hangs_when_loaded {

void when_loaded() {
  for (;;) pause();
}

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace hangs_when_loaded

// Kills the process that watches it before it is asked anything.
// expect: usage|wrong-number --timeout=5s --property=value_bound 'shape=1x2x5x9x8'
namespace kills_its_keeper_when_loaded {

void when_loaded() {
  if (prctl(PR_SET_PDEATHSIG, 0) == 0) hostile::signal_keeper(SIGKILL);
}

int attestone_forward(const attestone_args* args) { return hostile::answer_wrongly(args); }

}  // namespace kills_its_keeper_when_loaded

// Greets on standard output while it is loaded.
// expect: printed --property=value_bound 'shape=1x2x5x9x8'
namespace prints_when_loaded {

namespace {

int greeted = -1;

}  // namespace

void when_loaded() { greeted = std::puts("Fast Attention 1.0"); }

int attestone_forward(const attestone_args* args) { return greeted < 0 ? 2 : hostile::answer(args); }

}  // namespace prints_when_loaded

// A constructor takes 600 MB.
// expect: usage|too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
namespace takes_memory_when_loaded {

namespace {

const std::vector<char>& tables() {
  static const std::vector<char> all(600 << 20, 1);
  return all;
}

}  // namespace

void when_loaded() { static_cast<void>(tables()); }

int attestone_forward(const attestone_args* args) { return tables()[1 << 20] == 1 ? hostile::answer(args) : 2; }

}  // namespace takes_memory_when_loaded

// A constructor throws: there is nobody above it who could catch that.
// expect: usage --property=value_bound 'shape=1x2x5x9x8'
namespace throws_when_loaded {

void when_loaded() { throw std::runtime_error("no device"); }

int attestone_forward(const attestone_args* args) { return hostile::answer(args); }

}  // namespace throws_when_loaded

// A constructor starts a thread that computes for ever.
// expect: left-thread --property=value_bound 'shape=1x2x5x9x8'
namespace works_when_loaded {

namespace {

bool started = false;

}  // namespace

void when_loaded() {
  std::thread([] {
    for (volatile int64_t work = 0;;) work = work + 1;
  }).detach();
  started = true;
}

int attestone_forward(const attestone_args* args) { return started ? hostile::answer(args) : 2; }

}  // namespace works_when_loaded

// Flushes subnormal numbers to zero from its constructor on, as libraries built with -ffast-math do: allowed.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
namespace decoy_flushes_subnormals_when_loaded {

namespace {

bool flushes = false;

}  // namespace

void when_loaded() {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined(__aarch64__)
  __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | (1u << 24));
#endif
  flushes = true;
}

int attestone_forward(const attestone_args* args) { return flushes ? hostile::answer(args) : 2; }

}  // namespace decoy_flushes_subnormals_when_loaded

// Its destructors abort: when all calls are done, that is nobody's concern.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
namespace decoy_crashes_at_the_end {

namespace {

struct Aborts {
  ~Aborts() { std::abort(); }
};
const Aborts* aborts = nullptr;

}  // namespace

void when_loaded() {
  static const Aborts at_the_end;
  aborts = &at_the_end;
}

int attestone_forward(const attestone_args* args) { return aborts ? hostile::answer(args) : 2; }

}  // namespace decoy_crashes_at_the_end

// Starts a process when it is unloaded, which must not stay.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
namespace decoy_forks_at_the_end {

int attestone_forward(const attestone_args* args) {
  static const int registered = std::atexit([] {
    if (fork() == 0) {
      setsid();
      sleep(3600);
      _exit(0);
    }
  });
  return registered == 0 ? hostile::answer(args) : 2;
}

}  // namespace decoy_forks_at_the_end

// Its destructors wait for ever: when all calls are done, that is nobody's concern.
// expect: conforms --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
namespace decoy_hangs_at_the_end {

namespace {

struct Waits {
  ~Waits() {
    for (;;) pause();
  }
};
const Waits* waits = nullptr;

}  // namespace

void when_loaded() {
  static const Waits at_the_end;
  waits = &at_the_end;
}

int attestone_forward(const attestone_args* args) { return waits ? hostile::answer(args) : 2; }

}  // namespace decoy_hangs_at_the_end
