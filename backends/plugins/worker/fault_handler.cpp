// SPDX-License-Identifier: Apache-2.0
// A signal handler: only calls that are safe in one.
#include "backends/plugins/worker/fault_handler.hpp"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "backends/plugins/worker/signal_door.hpp"
#include "backends/plugins/worker/system_call.hpp"

namespace attestone::inline backends::worker {
namespace {

constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t stack_bytes = 1 << 16;  // a stack of its own: the kernel's may be the one that overflowed

const Mapping* mapping = nullptr;
std::atomic<wire::Phase> phase{wire::Phase::loading};
wire::Reply reply;

/// Restores the default action of a signal. By the worker's own call: the filter ignores the kernel's (filter.cpp).
void restore_default(int signal) {
  // All zero in the system's own layout: SIG_DFL, no flags, nothing blocked.
  alignas(std::max_align_t) const char action[64] = {};
  constexpr long set_bytes = 8;
  system_call(SYS_rt_sigaction, signal, as_argument(&action[0]), 0, set_bytes);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const bool at_an_address = (signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0;
  const auto* const address = static_cast<const std::byte*>(info->si_addr);
  const bool among_tensors = at_an_address && address >= mapping->begin() && address < mapping->end();
  if (!among_tensors && call_own_handler(signal, info, context)) return;
  reply.answer = wire::Answer::signalled;
  reply.signal = signal;
  reply.phase = phase;
  reply.among_tensors = among_tensors;
  reply.address = at_an_address ? reinterpret_cast<std::intptr_t>(address) : 0;
  reply.files_at = reinterpret_cast<std::intptr_t>(mapping->files());
  send(wire::call_descriptor, &reply, sizeof reply, MSG_NOSIGNAL);
  restore_default(signal);
  raise(signal);
}

}  // namespace

void report_faults(const Mapping& of) {
  mapping = &of;
  stack_t stack{};
  stack.ss_size = stack_bytes;
  stack.ss_sp = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_NODEFER);
  for (const int signal : fatal_signals) sigaction(signal, &action, nullptr);
  open_signal_door();
}

void set_phase(wire::Phase now) { phase = now; }

}  // namespace attestone::inline backends::worker
