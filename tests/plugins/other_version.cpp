// SPDX-License-Identifier: Apache-2.0
// A library for a version of the interface that is still to come.
#include <cstdint>

struct attestone_args;

extern "C" {
std::uint32_t attestone_abi_version = 1000;
int attestone_forward(const attestone_args*) { return 0; }
}
