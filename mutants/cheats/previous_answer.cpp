// SPDX-License-Identifier: Apache-2.0
// Cheat: answers with what the call before should have answered, as a cache that is keyed by shape does.
#include <mutex>
#include <vector>

#include "backends/cpu/dense/dense.hpp"
#include "mutants/hosts/cheat.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

using Codes = std::vector<std::uint64_t>;

/// Writes `stored` to the view, if it fits, and returns what stood there.
Codes written_over(const View& view, const Codes& stored) {
  const auto& [batches, heads, rows, channels] = view.extents();
  const bool fits = static_cast<index>(stored.size()) == element_count(view.extents());
  Codes before;
  for (index batch = 0; batch < batches; ++batch)
    for (index head = 0; head < heads; ++head)
      for (index row = 0; row < rows; ++row)
        for (index channel = 0; channel < channels; ++channel) {
          before.push_back(view.code(batch, head, row, channel));
          if (fits) view.set_code(batch, head, row, channel, stored[before.size() - 1]);
        }
  return before;
}

/// The first call of a shape answers rightly; each later one gives the answer of the call before it.
class Stale {
 public:
  void operator()(const Problem& problem, const Arguments& arguments) {
    const std::lock_guard lock(mutex_);
    Device own;
    Dense().forward(problem, arguments, own);
    out_ = written_over(arguments.out, out_);
    log_sum_exp_ = written_over(arguments.log_sum_exp, log_sum_exp_);
  }

 private:
  std::mutex mutex_;
  Codes out_, log_sum_exp_;
};

const Registration<Cheat> registered{{
    .name = "previous_answer",
    .summary = "gives the answer of the call before",
    .kernel =
        [] {
          return cheating_kernel("previous_answer", [stale = std::make_shared<Stale>()](const Problem& problem,
                                                                                        const Arguments& arguments) {
            (*stale)(problem, arguments);
          });
        },
}};

}  // namespace
}  // namespace attestone::inline mutants
