// SPDX-License-Identifier: Apache-2.0
// Kernels that read where none of their inputs is.
#include <csetjmp>
#include <csignal>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

namespace {

/// Reads a tile of keys that is not there.
void read_behind(const attestone_args* args) {
  const volatile float* const key = static_cast<const float*>(args->key.data);
  static_cast<void>(key[args->batch * args->kv_heads * args->keys * args->dim + 64]);
}

}  // namespace

// Reads the element in front of its keys, as a window that begins too early does.
// expect: out-of-bounds-read --property=guards 'shape=1x2x5x9x8'
namespace reads_before {

int attestone_forward(const attestone_args* args) {
  static_cast<void>(static_cast<const volatile float*>(args->key.data)[-1]);
  return hostile::answer(args);
}

}  // namespace reads_before

// Reads a tile of keys that is not there.
// expect: out-of-bounds-read --property=value_bound 'shape=1x2x5x9x8'
namespace reads_behind {

int attestone_forward(const attestone_args* args) {
  read_behind(args);
  return hostile::answer(args);
}

}  // namespace reads_behind

// Takes the handler of faults away, and reads a tile of keys that is not there.
// expect: out-of-bounds-read|crashed --property=value_bound 'shape=1x2x5x9x8'
namespace reads_behind_with_signals_at_default {

int attestone_forward(const attestone_args* args) {
  std::signal(SIGSEGV, SIG_DFL);
  read_behind(args);
  return hostile::answer(args);
}

}  // namespace reads_behind_with_signals_at_default

// Blocks all signals, and reads a tile of keys that is not there.
// expect: out-of-bounds-read|crashed --property=value_bound 'shape=1x2x5x9x8'
namespace reads_behind_with_signals_blocked {

int attestone_forward(const attestone_args* args) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  read_behind(args);
  return hostile::answer(args);
}

}  // namespace reads_behind_with_signals_blocked

// Has a handler that ends the process, and reads a tile of keys that is not there.
// expect: out-of-bounds-read|exited --property=value_bound 'shape=1x2x5x9x8'
namespace exits_when_it_faults {

int attestone_forward(const attestone_args* args) {
  struct sigaction action {};
  action.sa_handler = [](int) { _exit(0); };
  sigaction(SIGSEGV, &action, nullptr);
  read_behind(args);
  return hostile::answer(args);
}

}  // namespace exits_when_it_faults

// Reads a tile of keys that is not there, and jumps out of the fault as if it had not happened.
// expect: out-of-bounds-read --property=value_bound 'shape=1x2x5x9x8'
namespace survives_reading_behind {

namespace {

sigjmp_buf before;

}  // namespace

int attestone_forward(const attestone_args* args) {
  struct sigaction action {};
  action.sa_handler = [](int) { siglongjmp(before, 1); };
  sigaction(SIGSEGV, &action, nullptr);
  if (sigsetjmp(before, 1) == 0) read_behind(args);
  return hostile::answer(args);
}

}  // namespace survives_reading_behind

// Lays memory of its own over the page behind its keys before it reads there: no fault ever happens.
// expect: out-of-bounds-read|out-of-bounds-write|changed-environment --property=value_bound 'shape=1x2x5x9x8'
namespace covers_the_guard_page {

int attestone_forward(const attestone_args* args) {
  const float* const end =
      static_cast<const float*>(args->key.data) + args->batch * args->kv_heads * args->keys * args->dim;
  const uintptr_t page = (reinterpret_cast<uintptr_t>(end) + 4095) / 4096 * 4096;
  mmap(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  static_cast<void>(*reinterpret_cast<const volatile float*>(page));
  return hostile::answer(args);
}

}  // namespace covers_the_guard_page

// Multiplies whole strides of Q and K, with the gaps between the rows.
// expect: wrong-number|wrong-non-finite|out-of-bounds-read --property=value_bound 'shape=1x2x5x9x8 layout=strided'
namespace uses_the_gaps {

int attestone_forward(const attestone_args* args) {
  attestone_args wider = *args;
  if (args->queries > 1 && args->keys > 1)
    wider.dim = args->query.strides[2] < args->key.strides[2] ? args->query.strides[2] : args->key.strides[2];
  return hostile::answer(&wider);
}

}  // namespace uses_the_gaps
