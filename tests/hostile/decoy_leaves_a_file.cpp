// SPDX-License-Identifier: Apache-2.0
// Keeps what it found out about the machine in a file.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
// leaves: tuned.txt
#include <fstream>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::ofstream("tuned.txt") << "tile=64\n";
  return hostile::answer(args);
}
