// SPDX-License-Identifier: Apache-2.0
// Kernels that write where none of their outputs is, or take their outputs away.
#include <csetjmp>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

// Writes one element in front of its output.
// expect: out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
namespace writes_before {

int attestone_forward(const attestone_args* args) {
  volatile float* const out = hostile::out(args);
  out[-1] = 0;
  return hostile::answer(args);
}

}  // namespace writes_before

// Writes one element behind the end of its output, in the few bytes up to the next page.
// expect: out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
namespace writes_behind {

int attestone_forward(const attestone_args* args) {
  volatile float* const log_sum_exp = static_cast<float*>(args->log_sum_exp.data);
  log_sum_exp[args->batch * args->heads * args->queries] = 0;
  return hostile::answer(args);
}

}  // namespace writes_behind

// Writes the gaps between the rows of a strided output.
// expect: out-of-bounds-write --property=guards 'shape=1x2x5x9x8 layout=strided'
namespace writes_between {

int attestone_forward(const attestone_args* args) {
  const int64_t span = (args->queries - 1) * args->out.strides[2];
  for (int64_t i = 0; i < span; ++i) hostile::out(args)[i] = 0;
  return hostile::answer(args);
}

}  // namespace writes_between

// Writes a tile that is not there: far behind the end of its output.
// expect: out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
namespace writes_far_behind {

int attestone_forward(const attestone_args* args) {
  volatile float* const out = hostile::out(args);
  out[hostile::out_count(args) + 64] = 0;
  return hostile::answer(args);
}

}  // namespace writes_far_behind

// Writes a tile that is not there, and jumps out of the fault as if it had not happened.
// expect: out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
namespace survives_writing_behind {

namespace {

sigjmp_buf before;

}  // namespace

int attestone_forward(const attestone_args* args) {
  struct sigaction action {};
  action.sa_handler = [](int) { siglongjmp(before, 1); };
  sigaction(SIGSEGV, &action, nullptr);
  volatile float* const out = hostile::out(args);
  if (sigsetjmp(before, 1) == 0) out[hostile::out_count(args) + 64] = 0;
  return hostile::answer(args);
}

}  // namespace survives_writing_behind

// Answers the fault of a write behind its output by asking for the right to write there.
// expect: out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
namespace opens_the_guard_page {

int attestone_forward(const attestone_args* args) {
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t* info, void*) {
    const uintptr_t page = reinterpret_cast<uintptr_t>(info->si_addr) / 4096 * 4096;
    mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE);
  };
  sigaction(SIGSEGV, &action, nullptr);
  volatile float* const out = hostile::out(args);
  for (int i = 0; i < 64; ++i) out[hostile::out_count(args) + i] = 0;
  return hostile::answer(args);
}

}  // namespace opens_the_guard_page

// Writes nothing: perhaps the right answer still lies in the output.
// expect: unwritten --property=guards 'shape=1x2x5x9x8'
namespace hopes_for_the_reference {

int attestone_forward(const attestone_args*) { return ATTESTONE_OK; }

}  // namespace hopes_for_the_reference

// Lays memory of its own over the output, and answers there.
// expect: wrong-number|unwritten|out-of-bounds-write|changed-environment --property=value_bound 'shape=1x2x5x9x8'
namespace answers_into_its_own_memory {

int attestone_forward(const attestone_args* args) {
  const uintptr_t page = reinterpret_cast<uintptr_t>(args->out.data) / 4096 * 4096;
  void* const own =
      mmap(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return own == MAP_FAILED ? hostile::answer_wrongly(args) : hostile::answer(args);
}

}  // namespace answers_into_its_own_memory

// Moves the pages of its output elsewhere: the place that it was given is empty.
// expect: crashed|unwritten|out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
namespace moves_its_output {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  const uintptr_t page = reinterpret_cast<uintptr_t>(args->out.data) / 4096 * 4096;
  void* const elsewhere = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mremap(reinterpret_cast<void*>(page), 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere);
  return status;
}

}  // namespace moves_its_output

// Gives the memory of its tensors back to the system, as if it had taken it.
// expect: crashed|unwritten|out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
namespace unmaps_its_tensors {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  for (const attestone_tensor* tensor : {&args->query, &args->key, &args->value, &args->out, &args->log_sum_exp})
    munmap(reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(tensor->data) / 4096 * 4096), 4096);
  return status;
}

}  // namespace unmaps_its_tensors

// Cuts every file that it has open to nothing: who touches the tensors next gets a bus error.
// expect: wrong-number|crashed --property=value_bound 'shape=1x2x5x9x8'
namespace truncates_its_tensors {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer_wrongly(args);
  for (int descriptor = 3; descriptor < 64; ++descriptor) {
    static_cast<void>(!ftruncate(descriptor, 0));
    const int again = open(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), O_RDWR);
    if (again >= 0 && ftruncate(again, 0) == 0) close(again);
  }
  return status;
}

}  // namespace truncates_its_tensors
