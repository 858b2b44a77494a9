// SPDX-License-Identifier: Apache-2.0
// Every rounding of a kernel errs by as much as is declared; an adversary chooses which way.
//
// Written from the description of the arithmetic only: nothing here is shared with reference/error_bound/.
#pragma once

#include <vector>

#include "reference/numerics/stage.hpp"

namespace attestone::emulation {

using Extended = long double;

/// Hands out the errors of a kernel's roundings, in the order in which it asks.
class Roundings {
 public:
  /// One operation of an accumulator; below its normal range it errs by the size of underflow.
  Extended once(Extended x, const Accumulator& a) { return rounded(x, a.roundoff, a.underflow, a.underflow); }
  /// An operand, which may be read as 0 if it is below the normal range.
  Extended read(Extended x, const Accumulator&);
  /// Rounded to a narrow format.
  Extended cast(Extended x, const Cast&);
  /// An elementary function, or an operand, with this relative error.
  Extended relative(Extended x, double error) { return rounded(x, error, 0, 0); }
  /// sum x y: n products and n - 1 additions, one after another; or, if it truncates, blocks of four products and the
  /// accumulator, each cut where the largest of them ends, and the result.
  Extended sum_of_products(const std::vector<Extended>& x, const std::vector<Extended>& y, const Accumulator&);
  /// sum x, an empty accumulator first: n additions.
  Extended sum(const std::vector<Extended>& x, const Accumulator&);

  /// One for each rounding: 1, 0 or -1 times what is declared. What is asked for beyond them is exact.
  std::vector<int> signs;
  /// How many roundings the kernel asked for since the last restart.
  std::size_t asked() const { return next_; }
  void restart() { next_ = 0; }

 private:
  Extended sum_of_blocks(const std::vector<Extended>& x, const std::vector<Extended>& y, const Accumulator&);
  Extended rounded(Extended x, double roundoff, double underflow, double normal);

  std::size_t next_ = 0;
};

}  // namespace attestone::emulation
