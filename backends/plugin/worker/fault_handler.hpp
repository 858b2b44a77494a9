// SPDX-License-Identifier: Apache-2.0
// Reporting a signal that ends the kernel, and the address that it could not touch.
#pragma once

#include "backends/plugin/worker/mapping.hpp"

namespace attestone::worker {

/// From now on a signal that kills is told to attestone first. The mapping must outlive the process.
void report_faults(const Mapping&);
/// Whether the kernel is running: a fault outside a call comes from what it left behind.
void set_in_call(bool);

}  // namespace attestone::worker
