// SPDX-License-Identifier: Apache-2.0
// The flag.
#include "backends/stop_request.hpp"

#include <atomic>

namespace attestone::inline backends {
namespace {

std::atomic<bool> asked = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

}  // namespace

void ask_to_stop() { asked = true; }
bool stop_is_asked() { return asked; }

}  // namespace attestone::inline backends
