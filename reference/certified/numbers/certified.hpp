// SPDX-License-Identifier: Apache-2.0
// A certified number, and how its correct rounding was decided.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "reference/shape.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// How the correct roundings of the elements were decided.
struct Decisions {
  index in_double = 0;         ///< the enclosure of blocked double arithmetic lies inside one rounding interval
  index in_double_double = 0;  ///< decided after recomputation in double-double
  index in_mpfr = 0;           ///< decided by MPFR at up to 256 bits
  index ties = 0;              ///< proven to lie exactly on a rounding boundary (counted in one of the above as well)
  index undecided = 0;         ///< not known to be correctly rounded; the bound still holds

  index total() const { return in_double + in_double_double + in_mpfr + undecided; }
};

/// Where NaN or infinities among the inputs reach an element, what stands beside its number (docs/rules.md, rule 5).
enum class NonFinite : char {
  wrong,     ///< nothing
  nan,       ///< NaN is right as well: some orders of IEEE evaluation have it
  any,       ///< NaN and infinities are right as well
  demanded,  ///< no order of evaluation has a finite number
};

/// One certified number.
struct Certified {
  double value = 0;  ///< the double nearest to the midpoint of the enclosure
  double bound = 0;  ///< |value - exact| <= bound; proven (docs/certified.md)
  double rounded =
      0;  ///< `value` rounded once to the asked dtype; the correct rounding of the exact number if `decided`
  bool decided = true;
  /// Set for gradients, and for max_logits, where a score may be NaN; Truth::admissible says more on O and log_sum_exp.
  NonFinite non_finite = NonFinite::wrong;
};

/// Leaves elements as they are found: whoever certifies writes every one, and zeroing them first would cost as much.
struct UnwrittenElements : std::allocator<Certified> {
  template <class Element>
  void construct(Element*) const {}
  template <class Element, class... Arguments>
  void construct(Element* at, Arguments&&... arguments) const {
    std::construct_at(at, std::forward<Arguments>(arguments)...);
  }
  /// Required of allocators, though there are elements of one type only.
  template <class>
  struct rebind {
    using other = UnwrittenElements;
  };
};

using CertifiedElements = std::vector<Certified, UnwrittenElements>;

}  // namespace attestone
