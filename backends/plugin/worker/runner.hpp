// SPDX-License-Identifier: Apache-2.0
// The process in which a plugin's functions run, call after call.
#pragma once

namespace attestone::worker {

/// Loads the library and answers calls on wire::call_descriptor until attestone hangs up. The result is the process's
/// exit status.
int run_plugin(const char* path);

}  // namespace attestone::worker
