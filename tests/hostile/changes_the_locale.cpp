// SPDX-License-Identifier: Apache-2.0
// Leaves its caller with another decimal point, where the system has such a locale, or with its environment's.
// expect: changed-environment --property=value_bound 'shape=1x2x5x9x8'
#include <clocale>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  if (!std::setlocale(LC_ALL, "de_DE.UTF-8")) std::setlocale(LC_ALL, "C.UTF-8");
  return hostile::answer(args);
}
