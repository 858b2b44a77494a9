// SPDX-License-Identifier: Apache-2.0
// Asking OpenMP for threads.
#include "conformance/trial/threads.hpp"

#include <algorithm>
#include <omp.h>

namespace attestone::inline conformance {

namespace {

thread_local int most_chosen = 0;  // by all Threads that live in this thread
thread_local int forced = 0;       // how many ForcedThreads do

}  // namespace

Threads::Threads(int count) : before_(omp_get_max_threads()), most_before_(most_chosen) {
  omp_set_num_threads(count);
  most_chosen = std::max(most_chosen, count);
}

Threads::~Threads() {
  omp_set_num_threads(before_);
  most_chosen = most_before_;
}

ForcedThreads::ForcedThreads(int count) : threads_(count) { ++forced; }
ForcedThreads::~ForcedThreads() { --forced; }
bool ForcedThreads::live() { return forced > 0; }

std::array<int, 3> Threads::worth_trying() { return {std::max(omp_get_max_threads(), most_chosen), 1, 2}; }

}  // namespace attestone::inline conformance
