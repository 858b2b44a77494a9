// SPDX-License-Identifier: Apache-2.0
// Leaves an object in shared memory, which lives until the machine is restarted.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int object = shm_open("/left_by_a_kernel", O_CREAT | O_RDWR, 0600);
  static_cast<void>(!ftruncate(object, 1 << 20));
  close(object);
  return hostile::answer(args);
}
