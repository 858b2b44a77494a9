// SPDX-License-Identifier: Apache-2.0
// What results may depend on: this build's version, and the instruction set that was chosen at run time.
#pragma once

#include <string>

namespace attestone {

std::string version();
/// The name of the widest instruction set that vectorised code will use here, as in "AVX3".
std::string instruction_set();

}  // namespace attestone
