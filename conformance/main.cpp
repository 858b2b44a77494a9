// SPDX-License-Identifier: Apache-2.0
// The program attestone.
#include "conformance/command_line.hpp"

int main(int argc, char** argv) { return attestone::run_command_line(argc, argv); }
