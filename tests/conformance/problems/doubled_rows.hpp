// SPDX-License-Identifier: Apache-2.0
// flash, right but for some rows of O, which are twice what they should be.
#pragma once

#include <functional>
#include <utility>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"

namespace attestone {

/// True if a row of a call is doubled; the key of the pair is 0.
using IsDoubled = std::function<bool(const Pair&)>;

/// A kernel that doubles some rows of O. `of_call` says which, and is asked once per call.
inline SharedKernel with_doubled_rows(std::function<IsDoubled(const Problem&, const Arguments&)> of_call) {
  const auto forward = [of_call = std::move(of_call)](const Kernel& honest, const Problem& problem,
                                                      const Arguments& arguments, Device& device) {
    honest.forward(problem, arguments, device);
    if (!arguments.out.exists()) return;
    const IsDoubled is_doubled = of_call(problem, arguments);
    const Shape& s = problem.shape;
    for (index b = 0; b < s.batch; ++b)
      for (index h = 0; h < s.heads; ++h)
        for (index i = 0; i < arguments.out.rows(b); ++i)
          if (is_doubled({b, h, i, 0}))
            for (index c = 0; c < s.value_dim; ++c) arguments.out.set(b, h, i, c, 2 * arguments.out.value(b, h, i, c));
  };
  return changed(make_kernel("flash"), {.forward = forward});
}

}  // namespace attestone
