// SPDX-License-Identifier: Apache-2.0
// The command line of attestone.
#pragma once

namespace attestone::inline conformance {

/// Runs the program; the result is its exit status.
int run_command_line(int argc, const char* const* argv);

}  // namespace attestone::inline conformance

/// The C name of run_command_line, by which the program finds it in the library that it loads.
extern "C" int attestone_command_line(int argc, const char* const* argv);
