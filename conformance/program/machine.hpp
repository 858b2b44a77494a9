// SPDX-License-Identifier: Apache-2.0
// What results may depend on: this build's version, and the instruction set that was chosen at run time.
#pragma once

#include <string>

namespace attestone::inline conformance {

std::string version();
/// The name of the widest instruction set that vectorised code will use here, as in "AVX3".
std::string instruction_set();

/// The compiler of this build, as in "GNU 12.2.0".
std::string compiler();
/// The processor as the system names it, and the system: "Linux 6.1.0 x86_64".
std::string processor();
std::string operating_system();
/// The date, as in "2026-11-23".
std::string today();

}  // namespace attestone::inline conformance
