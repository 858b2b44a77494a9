// SPDX-License-Identifier: Apache-2.0
// Cuts every file that it has open to nothing: who touches the tensors next gets a bus error.
// expect: wrong-number|crashed --property=value_bound 'shape=1x2x5x9x8'
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer_wrongly(args);
  for (int descriptor = 3; descriptor < 64; ++descriptor) {
    static_cast<void>(!ftruncate(descriptor, 0));
    const int again = open(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), O_RDWR);
    if (again >= 0 && ftruncate(again, 0) == 0) close(again);
  }
  return status;
}
