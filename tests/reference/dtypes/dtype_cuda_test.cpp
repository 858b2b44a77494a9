// SPDX-License-Identifier: Apache-2.0
// Formats against the host code of the CUDA toolkit's headers, straight from double; where the toolkit is installed.
#include <gtest/gtest.h>

#if __has_include(<cuda_fp8.h>)

#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#if __has_include(<cuda_fp4.h>)  // since 12.8
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#define ATTESTONE_CUDA_HAS_NARROW_FORMATS
#endif

#include "tests/effort.hpp"
#include "tests/reference/dtypes/dtype_table.hpp"
#include "tests/reference/random_doubles.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

std::uint64_t by_cuda(const std::string& format, double x, Overflow overflow) {
  const auto saturation = overflow == Overflow::saturate ? __NV_SATFINITE : __NV_NOSAT;
  if (format == "f16") return __half_raw(__double2half(x)).x;
  if (format == "bf16") return __nv_bfloat16_raw(__double2bfloat16(x)).x;
#ifdef ATTESTONE_CUDA_HAS_NARROW_FORMATS
  if (format == "e2m1") return __nv_cvt_double_to_fp4(x, __NV_E2M1, cudaRoundNearest);
  if (format == "e2m3") return __nv_cvt_double_to_fp6(x, __NV_E2M3, cudaRoundNearest);
  if (format == "e3m2") return __nv_cvt_double_to_fp6(x, __NV_E3M2, cudaRoundNearest);
#endif
  return __nv_cvt_double_to_fp8(x, saturation, format == "e4m3" ? __NV_E4M3 : __NV_E5M2);
}

class CudaFormat : public testing::TestWithParam<PublishedFormat> {
 protected:
  void expect_agreement(double x) const {
    const DType& type = dtype(GetParam().name);
    const bool saturates = type.storage_bits() <= 8;
    for (const Overflow overflow : all_overflows) {
      if (overflow == Overflow::saturate && !saturates) continue;  // the toolkit has no such conversion
      const std::uint64_t ours = type.encode(x, Rounding::nearest_even, overflow);
      const std::uint64_t theirs = by_cuda(GetParam().name, x, overflow);
      if (std::isnan(type.decode(ours)))  // the toolkit has one NaN, without a sign
        ASSERT_TRUE(std::isnan(type.decode(theirs))) << std::hexfloat << x;
      else
        ASSERT_EQ(ours, theirs) << std::hexfloat << x;
    }
  }
};

TEST_P(CudaFormat, AgreesAtEveryCriticalPlace) {
  for (const double x : critical_doubles(DTypeTable(GetParam()))) expect_agreement(x);
}

TEST_P(CudaFormat, AgreesOnRandomDoubles) {
  RandomDoubles random(dtype(GetParam().name));
  for (index i = 0; i < effort(100'000, 10'000'000) && !HasFatalFailure(); ++i) expect_agreement(random.next());
}

INSTANTIATE_TEST_SUITE_P(DType, CudaFormat, testing::ValuesIn(published_formats()), by_parameter);

#ifdef ATTESTONE_CUDA_HAS_NARROW_FORMATS
INSTANTIATE_TEST_SUITE_P(FiniteDType, CudaFormat, testing::ValuesIn(published_finite_formats()), by_parameter);

// The two roundings that its instruction has.
TEST(DTypeCuda, AgreesOnScalesOfE8M0) {
  const DType& type = dtype("e8m0");
  RandomDoubles random(type);
  for (index i = 0; i < effort(100'000, 10'000'000); ++i) {
    const double power = std::ldexp(1.0, static_cast<int>(i % 260) - 130), drawn = std::fabs(random.next());
    for (const double x : {power, std::nextafter(power, 0), std::nextafter(power, HUGE_VAL), drawn})
      for (const Overflow overflow : all_overflows) {
        const auto saturation = overflow == Overflow::saturate ? __NV_SATFINITE : __NV_NOSAT;
        ASSERT_EQ(type.encode(x, Rounding::upward, overflow), __nv_cvt_double_to_e8m0(x, saturation, cudaRoundPosInf))
            << std::hexfloat << x;
        ASSERT_EQ(type.encode(x, Rounding::toward_zero, overflow),
                  __nv_cvt_double_to_e8m0(x, saturation, cudaRoundZero))
            << std::hexfloat << x;
      }
  }
}
#endif

}  // namespace
}  // namespace attestone

#else

TEST(DTypeCuda, AgreesWithTheToolkit) { GTEST_SKIP() << "the CUDA toolkit's headers are not installed"; }

#endif
