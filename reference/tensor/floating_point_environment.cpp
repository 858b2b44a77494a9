// SPDX-License-Identifier: Apache-2.0
// Control registers: MXCSR and the x87 control word, or FPCR; elsewhere what the C library offers.
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

#if defined(__x86_64__)

DefaultFloatingPoint::DefaultFloatingPoint() {
  // To nearest, every exception masked; of MXCSR also FTZ (bit 15) and DAZ (bit 6) off, of x87 the full precision.
  constexpr std::uint32_t default_vector_control = 0x1f80;
  constexpr std::uint16_t default_x87_control = 0x037f;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(vector_control_), "=m"(x87_control_) : : "memory");
  asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(default_vector_control), "m"(default_x87_control) : "memory");
}

DefaultFloatingPoint::~DefaultFloatingPoint() {
  asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(vector_control_), "m"(x87_control_) : "memory");
}

#elif defined(__aarch64__)

DefaultFloatingPoint::DefaultFloatingPoint() {
  asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control_), "=r"(status_) : : "memory");
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}) : "memory");
}

DefaultFloatingPoint::~DefaultFloatingPoint() {
  asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(control_), "r"(status_) : "memory");
}

#else

DefaultFloatingPoint::DefaultFloatingPoint() {
  std::fegetenv(&environment_);
  std::fesetenv(FE_DFL_ENV);
}

DefaultFloatingPoint::~DefaultFloatingPoint() { std::fesetenv(&environment_); }

#endif

}  // namespace attestone
