// SPDX-License-Identifier: Apache-2.0
// Reporting a signal that ends the kernel, and the address that it could not touch.
#pragma once

#include "backends/plugins/worker/mapping.hpp"

namespace attestone::inline backends::worker {

/// From now on a signal that kills is told to attestone first. The mapping must outlive the process. A kernel may have
/// a handler of its own for SIGSEGV and SIGBUS (signal_door.cpp): it is asked about all faults but those among the
/// tensors.
void report_faults(const Mapping&);
/// Sets the phase of the process: a fault while it waits comes from what a call left behind.
void set_phase(wire::Phase);

}  // namespace attestone::inline backends::worker
