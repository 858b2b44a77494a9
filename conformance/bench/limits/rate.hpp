// SPDX-License-Identifier: Apache-2.0
// How much a loop does in a second, on several threads at once.
#pragma once

#include <chrono>
#include <omp.h>

namespace attestone::inline conformance {

/// Amount per second when every thread runs `work(thread)`, which returns an amount, over and over for `seconds`.
template <class Work>
double rate(int threads, double seconds, Work work) {
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  double total = 0, longest = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total) reduction(max : longest)
  {
    work(omp_get_thread_num());  // warm: pages, caches, clock
#pragma omp barrier
    const double begin = now();
    double amount = 0;
    do amount += work(omp_get_thread_num());
    while (now() - begin < seconds);
    total += amount;
    longest = now() - begin;
  }
  return total / longest;
}

}  // namespace attestone::inline conformance
