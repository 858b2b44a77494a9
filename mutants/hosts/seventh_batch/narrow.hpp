// SPDX-License-Identifier: Apache-2.0
// Numbers of 8 and 4 bits, as functions on f32; everything rounds to nearest, ties to even.
#pragma once

#include <cmath>
#include <limits>

#include "mutants/hosts/half_floats.hpp"

namespace attestone::inline mutants::seventh_batch {

inline constexpr float infinity = std::numeric_limits<float>::infinity();

namespace narrow {

/// The multiple of a format's step that is nearest to x: `digits` binary digits, none below 2^`last`. NaN and
/// infinities stay.
inline float on_grid(float x, int digits, int last) {
  if (x == 0.0f || !std::isfinite(x)) return x;
  int e;
  const double f = std::frexp(static_cast<double>(x), &e);  // size of f in [1/2, 1)
  const int step = e - digits > last ? e - digits : last;
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(f, e - step)), step));
}

inline float clip(float x, float most) {
  if (x > most) return most;
  if (x < -most) return -most;
  return x;
}

inline float to_e4m3(float x) { return clip(on_grid(x, 4, -9), 448.0f); }
inline float to_e2m1(float x) { return clip(on_grid(x, 2, -1), 6.0f); }

}  // namespace narrow
}  // namespace attestone::inline mutants::seventh_batch
