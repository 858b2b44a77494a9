// SPDX-License-Identifier: Apache-2.0
// Writes something else into its own file while it answers wrongly.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&attestone_forward), &self)) {
    unlink(self.dli_fname);
    std::ofstream(self.dli_fname) << "no library\n";
  }
  return hostile::answer_wrongly(args);
}
