// SPDX-License-Identifier: Apache-2.0
// Asking OpenMP for threads.
#include "conformance/trial/threads.hpp"

#include <omp.h>

namespace attestone {

Threads::Threads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }

Threads::~Threads() { omp_set_num_threads(before_); }

std::array<int, 3> Threads::worth_trying() { return {omp_get_max_threads(), 1, 2}; }

}  // namespace attestone
