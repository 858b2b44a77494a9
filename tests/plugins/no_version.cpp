// SPDX-License-Identifier: Apache-2.0
// A library that does not say which version of the interface it was built for.
struct attestone_args;

extern "C" int attestone_forward(const attestone_args*) { return 0; }
