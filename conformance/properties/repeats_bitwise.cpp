// SPDX-License-Identifier: Apache-2.0
// The same call, the same bits.
#include <algorithm>
#include <omp.h>

#include "conformance/property.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

std::string inapplicable(const Problem&) { return {}; }

bool same_bits(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.bytes(), b.bytes()); }

/// Runs with another number of threads while it lives.
class Threads {
 public:
  explicit Threads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

Verdict check(Trial& trial) {
  const Outputs& first = trial.answer().outputs;
  for (const int threads : {omp_get_max_threads(), 1, 2}) {
    const Threads chosen(threads);
    const KernelAnswer again = trial.run(trial.inputs());
    if (!same_bits(first.out, again.outputs.out) || !same_bits(first.log_sum_exp, again.outputs.log_sum_exp))
      return Verdict::failed("not-repeatable", "a repeated call answers with other bits");
  }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "repeats_bitwise",
    .claim = "the same call gives the same bits, whatever the number of threads",
    .inapplicable = inapplicable,
    .check = check,
}};

}  // namespace
}  // namespace attestone
