// SPDX-License-Identifier: Apache-2.0
// sigaction() and signal() as libraries in this process find them: before the C library's, which do the rest.
//
// Some runtimes need handlers of these signals for their own work, and they get them. What they must not do is to keep
// the worker from seeing an access to memory around the tensors: they may not replace its handler (filter.cpp), and are
// not asked about such faults.
#include "backends/plugins/worker/signal_door.hpp"

#include <atomic>
#include <cerrno>
#include <dlfcn.h>

namespace attestone::inline backends::worker {
namespace {

using Sigaction = int (*)(int, const struct sigaction*, struct sigaction*);

std::atomic<bool> is_open{false};
struct sigaction own_segv {
}, own_bus{};

struct sigaction& own(int signal) {
  return signal == SIGSEGV ? own_segv : own_bus;
}
bool is_kept(int signal) { return is_open && (signal == SIGSEGV || signal == SIGBUS); }

Sigaction next_sigaction() {
  static const auto next = reinterpret_cast<Sigaction>(dlsym(RTLD_NEXT, "sigaction"));
  return next;
}

}  // namespace

void open_signal_door() { is_open = true; }

bool call_own_handler(int signal, siginfo_t* info, void* context) {
  if (!is_kept(signal)) return false;
  struct sigaction& handler = own(signal);
  const struct sigaction now = handler;
  const bool detailed = now.sa_flags & SA_SIGINFO;
  if (!detailed && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)) return false;
  if (static_cast<unsigned>(now.sa_flags) & SA_RESETHAND) handler = {};
  if (detailed)
    now.sa_sigaction(signal, info, context);
  else
    now.sa_handler(signal);
  return true;
}

}  // namespace attestone::inline backends::worker

extern "C" {

__attribute__((visibility("default"))) int sigaction(int signal, const struct sigaction* action,
                                                     struct sigaction* before) noexcept {
  using namespace attestone::worker;
  if (!is_kept(signal)) return next_sigaction()(signal, action, before);
  if (before) *before = own(signal);
  if (action) own(signal) = *action;
  return 0;
}

__attribute__((visibility("default"))) sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction action {
  }, before{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, number);
  return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}
}
