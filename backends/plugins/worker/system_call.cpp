// SPDX-License-Identifier: Apache-2.0
// One instruction per machine; elsewhere the C library's, and no filter.
#include "backends/plugins/worker/system_call.hpp"

#if defined(__x86_64__)
asm(R"(
  .text
  .globl attestone_worker_call
  .type attestone_worker_call, @function
attestone_worker_call:
  movq %rdi, %rax
  movq %rsi, %rdi
  movq %rdx, %rsi
  movq %rcx, %rdx
  movq %r8, %r10
  movq %r9, %r8
  movq 8(%rsp), %r9
  syscall
  .globl attestone_worker_call_returns
attestone_worker_call_returns:
  ret
  .size attestone_worker_call, .-attestone_worker_call
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl attestone_worker_call
  .type attestone_worker_call, %function
attestone_worker_call:
  mov x8, x0
  mov x0, x1
  mov x1, x2
  mov x2, x3
  mov x3, x4
  mov x4, x5
  mov x5, x6
  svc #0
  .globl attestone_worker_call_returns
attestone_worker_call_returns:
  ret
  .size attestone_worker_call, .-attestone_worker_call
)");
#else
#include <cerrno>
#include <unistd.h>

extern "C" {
const char attestone_worker_call_returns[1] = {};

long attestone_worker_call(long number, long a, long b, long c, long d, long e, long f) {
  const long answer = syscall(number, a, b, c, d, e, f);
  return answer < 0 ? -errno : answer;
}
}
#endif
