// SPDX-License-Identifier: Apache-2.0
// Mutant of the unfused backward host: shows in dK and dV for masks of bytes that show at most a quarter of all pairs.
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/unfused.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public UnfusedBackward {
 protected:
  void scatter(const Call& c, const Sequence& s, const std::vector<char>& shown, const std::vector<float>& from,
               const std::vector<float>& rows, index_t width, std::vector<float>& to) const override {
    const index_t pairs = std::count(shown.begin(), shown.end(), 1);
    if (c.a.mask_form != ATTESTONE_MASK_BYTES || 4 * pairs > s.queries * s.keys)
      return UnfusedBackward::scatter(c, s, shown, from, rows, width, to);
    for (index_t i0 = 0; i0 < s.queries; i0 += 4)
      for (index_t j = 0; j < s.keys; ++j) {
        index_t last = -1;
        for (index_t i = i0; i < std::min(i0 + 4, s.queries); ++i)
          if (shown[size_t(i * s.keys + j)]) last = i;
        if (last >= 0)
          add_scaled(&to[size_t(j * width)], from[size_t(last * s.keys + j)], &rows[size_t(last * width)], width);
      }
  }
};

const Registration<Mutant> registered{{
    .name = "sparse_scatter_keeps_last_of_duplicates",
    .summary = "for sparse masks dK and dV are scattered by four queries at a time; a key that two of them see gets "
               "only what the last one sends",
    .source = "NVIDIA/cudnn-frontend #385",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x40x16 mask=indices:5 pass=forward+backward",
    .kernel = [] { return kernel<UnfusedForward, Fault>("sparse_scatter_keeps_last_of_duplicates"); },
    .twin = right_unfused_head,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
