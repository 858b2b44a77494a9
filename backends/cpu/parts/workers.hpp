// SPDX-License-Identifier: Apache-2.0
// Threads that share the jobs of a kernel, each with scratch memory of its own.
#pragma once

#include <algorithm>
#include <deque>
#include <omp.h>

#include "reference/problem/problem.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone::inline backends {

/// How many workers so many products for each pair of a query and a key are worth, `jobs` or `most` at the most.
inline index useful_workers(index most, index jobs, const Shape& shape, index products_per_pair) {
  // Waking a thread costs as much as some thousands of products, and a spinning one robs its neighbours.
  constexpr index products_per_worker = index{1} << 18;
  return std::min({most, jobs, 1 + shape.rows() * shape.keys * products_per_pair / products_per_worker});
}

/// Which job a thread of the team most likely takes after this one.
inline index likely_next(index job) { return job + omp_get_num_threads(); }

/// One scratch for every worker, borrowed before the work begins: the peak depends neither on who comes first nor on
/// how many threads there are.
template <class Scratch>
class Workers {
 public:
  /// Makes `count` scratches of these arguments.
  template <class... Arguments>
  explicit Workers(index count, Arguments&&... arguments) {
    for (index worker = 0; worker < count; ++worker) scratch_.emplace_back(arguments...);
  }

  /// Calls work(job, scratch) for jobs 0 ... jobs - 1, on as many threads as there are, but no more than scratches.
  template <class Work>
  void for_each(index jobs, Work work) {
    const int team = std::clamp(static_cast<int>(scratch_.size()), 1, omp_get_max_threads());
#pragma omp parallel num_threads(team)
    {
      const DefaultFloatingPoint environment;  // of this thread of the team
#pragma omp for schedule(dynamic)
      for (index job = 0; job < jobs; ++job) work(job, scratch_[static_cast<std::size_t>(omp_get_thread_num())]);
    }
  }

 private:
  std::deque<Scratch> scratch_;
};

}  // namespace attestone::inline backends
