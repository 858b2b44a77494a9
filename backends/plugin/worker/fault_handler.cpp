// SPDX-License-Identifier: Apache-2.0
// A signal handler: only calls that are safe in one.
#include "backends/plugin/worker/fault_handler.hpp"

#include <atomic>
#include <csignal>
#include <sys/mman.h>
#include <sys/socket.h>

namespace attestone::worker {
namespace {

constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t stack_bytes = 1 << 16;  // a stack of its own: the kernel's may be the one that overflowed

const Mapping* mapping = nullptr;
std::atomic<bool> in_call{false};
wire::Reply reply;

void on_fault(int signal, siginfo_t* info, void*) {
  reply.answer = wire::Answer::signalled;
  reply.signal = signal;
  reply.in_call = in_call;
  reply.address = signal == SIGSEGV || signal == SIGBUS ? reinterpret_cast<std::intptr_t>(info->si_addr) : 0;
  for (int file = 0; file < 2; ++file) reply.files_at[file] = reinterpret_cast<std::intptr_t>(mapping->file(file));
  send(wire::call_descriptor, &reply, sizeof reply, MSG_NOSIGNAL);
  raise(signal);  // SA_RESETHAND: this time it ends the process
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
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (const int signal : fatal_signals) sigaction(signal, &action, nullptr);
}

void set_in_call(bool now) { in_call = now; }

}  // namespace attestone::worker
