// SPDX-License-Identifier: Apache-2.0
// The handlers that a kernel has for SIGSEGV and SIGBUS: kept beside the worker's, and called by it.
#pragma once

#include <csignal>

namespace attestone::inline backends::worker {

/// From now on sigaction() and signal() keep what they are told of these two signals here, and not in the system.
void open_signal_door();

/// Calls the kernel's own handler; false if it has none.
bool call_own_handler(int signal, siginfo_t*, void* context);

}  // namespace attestone::inline backends::worker
