// SPDX-License-Identifier: Apache-2.0
// Kernels that read-outs are tried on: plain attention in double, with a number of roundings and faults to choose from.
#pragma once

#include <functional>
#include <string>

#include "backends/kernel.hpp"
#include "reference/random/random.hpp"

namespace attestone {

/// Loops over pairs. Each hook sees a number on its way; all of them leave it as it is unless they are set.
struct Emulation {
  using Step = std::function<double(double)>;
  static double same(double x) { return x; }

  Step operand = same;      ///< of Q and K before they are multiplied
  Step product = same;      ///< the sum of products after each of them
  Step score = same;        ///< after the scale
  Step exponential = same;  ///< e^(s - m), also as the denominator adds it up
  Step weight = same;       ///< e^(s - m), as it meets V; divided by its sum first if normalised
  bool normalised = false;
  Step sum = same;      ///< the sum of weighted V after each of them
  Step out = same;      ///< before it is stored
  index tile = 0;       ///< keys after which the maximum is brought up to date; 0: it is known before
  Step rescale = same;  ///< of the factor that brings sums up to date
  index part = 0;       ///< keys of a part that is attended alone, and merged with the others; 0: all
  Step merged = same;   ///< of sums of weighted V, of a part and of what parts add up to
  Step log_sum_exp = same;
  std::function<double(const Pair&, double score)> pair = [](const Pair&, double s) { return s; };  ///< -inf hides
  double denominator = 1;                                                                           ///< a factor

  SharedKernel kernel(std::string name) const;
};

/// The nearest number of so many bits, or the next one towards zero; in the range of double.
double with_bits(double x, int bits);
double cut_to_bits(double x, int bits);
/// The nearest number of f16, which overflows and underflows as f16 does.
double in_f16(double x);

/// The kernel with the whole run exchanged: `fill` writes one element of O.
SharedKernel answering(std::string name,
                       std::function<double(const Problem&, const Arguments&, const Pair&, index channel)> fill);

}  // namespace attestone
