// Narrow number formats, as functions on f32. Everything rounds to nearest, ties to even.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace narrow {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

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

inline float to_f16(float x) {
  const float y = on_grid(x, 11, -24);
  return std::fabs(y) > 65504.0f ? std::copysign(kInf, x) : y;
}

inline float to_bf16(float x) {
  const float y = on_grid(x, 8, -133);
  return std::fabs(y) > 0x1.fep127f ? std::copysign(kInf, x) : y;
}

inline uint32_t bits_of(float x) {
  uint32_t b;
  std::memcpy(&b, &x, sizeof b);
  return b;
}

inline float float_of(uint32_t b) {
  float x;
  std::memcpy(&x, &b, sizeof x);
  return x;
}

inline float read_bf16(uint16_t b) { return float_of(static_cast<uint32_t>(b) << 16); }
inline uint16_t write_bf16(float x) {
  return std::isnan(x) ? uint16_t{0x7fc0} : static_cast<uint16_t>(bits_of(to_bf16(x)) >> 16);
}

inline float read_f16(uint16_t b) {
  const int e = (b >> 10) & 31, m = b & 1023;
  float x;
  if (e == 31)
    x = m != 0 ? kNaN : kInf;
  else if (e == 0)
    x = static_cast<float>(m) * 0x1p-24f;
  else
    x = float_of(static_cast<uint32_t>(e + 112) << 23 | static_cast<uint32_t>(m) << 13);
  return (b & 0x8000) != 0 ? -x : x;
}

inline uint16_t write_f16(float x) {
  if (std::isnan(x)) return 0x7e00;
  const float y = to_f16(x);
  const uint32_t b = bits_of(y);
  const uint32_t sign = b >> 16 & 0x8000;
  const float size = std::fabs(y);
  if (size == kInf) return static_cast<uint16_t>(sign | 0x7c00);
  if (size < 0x1p-14f) return static_cast<uint16_t>(sign | static_cast<uint32_t>(size * 0x1p24f));
  return static_cast<uint16_t>(sign | (((b >> 23 & 255) - 112) << 10) | (b >> 13 & 1023));
}

}  // namespace narrow
