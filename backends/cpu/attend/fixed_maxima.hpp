// SPDX-License-Identifier: Apache-2.0
// Softmax without a running maximum: what is subtracted is known before the first key.
#pragma once

#include <optional>

#include "backends/cpu/attend/head.hpp"
#include "backends/cpu/attend/state.hpp"

namespace attestone::inline backends {

/// MaxDiffusion's fixed maximum (kernels/custom_splash_attention.py, `use_fixed_m`). In base 2, by Cauchy and Schwarz
/// no score exceeds b = |scale| log2(e) ||q|| max ||k||, and m = ceil(b) - 88: sums of fewer than 2^40 weights stay
/// below 2^128, and since no score is below -b, the largest weight is at least 2^-126 while b <= 106.5. Where some
/// query of a head has a larger bound, the head keeps the running maximum.
namespace fixed_maximum {

inline constexpr double lowered = 88, largest_bound = 106.5;

inline float of(double bound) { return static_cast<float>(std::ceil(bound) - lowered); }

/// True if the scores of a problem have this bound, and the format of P holds weights of 2^88.
bool is_known(const Problem&);
/// Declares fixed maxima as an arithmetic: m may be one more, and scores are rounded.
void declare(WeightStage&);

/// ||row||; infinite if an element is not finite.
double norm(const ConstView&, index batch, index head, index row);
/// The largest of rows 0 to `rows` - 1.
double largest_norm(const ConstView&, index batch, index head, index rows);

}  // namespace fixed_maximum

/// The fixed maxima of all heads of a problem, where they are known.
class FixedMaxima {
 public:
  FixedMaxima(const Problem&, const KernelInputs&, Device&);
  /// 4 * batch * heads
  static index bytes(const Problem&);

  /// The queries of the state begin with theirs, if the head has any.
  void begin(const AttendedHead&, AttendState&) const;

 private:
  const Problem& problem_;
  ConstView query_;
  Allocation<float> per_norm_;  ///< [batch][heads]: b / ||q||; infinite if some query exceeds the largest bound
};

}  // namespace attestone::inline backends
