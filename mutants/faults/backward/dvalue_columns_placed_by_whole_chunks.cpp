// SPDX-License-Identifier: Apache-2.0
// Mutant of the two-pass backward host: shows in a part of dV for dim >= 128 and value_dim / 2 no multiple of 32.
#include <numeric>

#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/hosts/second_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public TwoPassBackward {
 protected:
  void store_dvalue(const Call& c, const float* x, index_t b, index_t h, index_t r) const override {
    const index_t n = c.a.value_dim, half = n / 2, columns = std::gcd<index_t>(32, c.a.dim / 2);
    std::vector<float> placed(x, x + n);
    if (c.a.dim >= 128 && n % 2 == 0 && half % columns != 0) {
      const index_t chunks = (half + columns - 1) / columns;
      for (index_t side = 0; side < 2; ++side)
        for (index_t k = 0; k < chunks * columns; ++k) {
          const index_t from = side * half + k, to = side * chunks * columns + k;
          if (to < n && from < n) placed[size_t(to)] = x[from];
        }
    }
    store_row(placed.data(), c.dvalue, b, h, r, n);
  }
};

const Registration<Mutant> registered{{
    .name = "dvalue_columns_placed_by_whole_chunks",
    .summary = "from dim 128 on each half of dV's columns is stored in chunks of 32, and the second half begins behind "
               "whole chunks of the first",
    .source = "Dao-AILab/flash-attention #2552",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x16x128:96 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("dvalue_columns_placed_by_whole_chunks"); },
    .twin = right_tiled_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
