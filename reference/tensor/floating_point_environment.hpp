// SPDX-License-Identifier: Apache-2.0
// The floating-point environment that every proof here assumes, whoever calls, and whatever ran in this thread before.
#pragma once

#include <cfenv>
#include <cfloat>
#include <cstdint>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "what attestone certifies is proven for IEEE 754 arithmetic: compile it without -ffast-math"
#elif FLT_EVAL_METHOD != 0
#error "what attestone certifies is proven for doubles that are evaluated as doubles: on x86 compile with -mfpmath=sse"
#endif

namespace attestone {

/// While it lives, this thread rounds to nearest, subnormal numbers are numbers (no flush to zero, neither of operands
/// nor of results), and nothing traps. Then the environment is what it was before, its flags included.
///
/// Threads of a parallel region do not follow the one that began it: each enters on its own.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint();
  ~DefaultFloatingPoint();
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

 private:
#if defined(__x86_64__)
  std::uint32_t vector_control_;
  std::uint16_t x87_control_;  ///< of long double, and of the C library where it asks how to round
#elif defined(__aarch64__)
  std::uint64_t control_, status_;
#else
  std::fenv_t environment_;
#endif
};

/// work() in that environment. It stays a function of its own: a compiler that knows nothing of environments may move
/// arithmetic past the guard, but not out of a function that it does not look into.
template <class Work>
[[gnu::noinline]] auto out_of_line(const Work& work) {
  return work();
}
template <class Work>
auto in_default_floating_point(const Work& work) {
  const DefaultFloatingPoint environment;
  return out_of_line(work);
}

}  // namespace attestone
