// SPDX-License-Identifier: Apache-2.0
// Says in 5 KB what it takes, and the last words count: four keys at most. It crashes on more.
// expect: refused|usage --property=value_bound 'shape=1x2x5x9x8'
#include <cstdlib>
#include <string>

#include "tests/hostile/honest.hpp"

int attestone_describe(attestone_description* description) {
  static const std::string limits = "dtypes=f32" + std::string(5'000, ' ') + "max_keys=4";
  description->limits = limits.c_str();
  return ATTESTONE_OK;
}

int attestone_forward(const attestone_args* args) { return args->keys > 4 ? std::abort(), 2 : hostile::answer(args); }
