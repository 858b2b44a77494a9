// SPDX-License-Identifier: Apache-2.0
// Throws on its way, and catches all of it.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <stdexcept>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  try {
    throw std::runtime_error("no fast path");
  } catch (const std::exception&) {
    return hostile::answer(args);
  }
}
