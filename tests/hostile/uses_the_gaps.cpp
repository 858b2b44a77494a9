// SPDX-License-Identifier: Apache-2.0
// Multiplies whole strides of Q and K, with the gaps between the rows.
// expect: wrong-number|wrong-non-finite|out-of-bounds-read --property=value_bound 'shape=1x2x5x9x8 layout=strided'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  attestone_args wider = *args;
  if (args->queries > 1 && args->keys > 1)
    wider.dim = args->query.strides[2] < args->key.strides[2] ? args->query.strides[2] : args->key.strides[2];
  return hostile::answer(&wider);
}
