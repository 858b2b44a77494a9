// SPDX-License-Identifier: Apache-2.0
// The process in which a plugin's functions run, call after call.
#pragma once

#include <cstddef>
#include <functional>

namespace attestone::inline backends::worker {

/// Calls `begin` with the addresses at which tensors will be shown (null if nothing may be ruled about them), then
/// waits for attestone to say that the library may be loaded, and answers calls on wire::call_descriptor until
/// attestone hangs up. The result is the process's exit status.
int run_plugin(const char* path, const std::function<void(const std::byte* from, const std::byte* to)>& begin);

}  // namespace attestone::inline backends::worker
