// SPDX-License-Identifier: Apache-2.0
// The command line of attestone.
#pragma once

namespace attestone::inline conformance {

/// Runs the program; the result is its exit status.
int run_command_line(int argc, const char* const* argv);

}  // namespace attestone::inline conformance

/// The same by a name that the program finds in the library once that is loaded.
extern "C" int attestone_command_line(int argc, const char* const* argv);
