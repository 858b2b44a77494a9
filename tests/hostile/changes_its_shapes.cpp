// SPDX-License-Identifier: Apache-2.0
// Sets shapes and strides to what suits its tiles, and leaves them so.
// expect: input-changed --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  for (int axis = 0; axis < args->out.ndim; ++axis) args->out.shape[axis] = args->out.strides[axis] = 1 << 30;
  return status;
}
