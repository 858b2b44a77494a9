// SPDX-License-Identifier: Apache-2.0
// Ends the thread that called it: nobody is left to return.
// expect: exited|crashed --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
#include <pthread.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args*) { pthread_exit(nullptr); }
