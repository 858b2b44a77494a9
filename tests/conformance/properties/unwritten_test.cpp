// SPDX-License-Identifier: Apache-2.0
// Each element that a call leaves as it was is seen and named, whatever its format, and whatever lies between rows.
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>

#include "conformance/properties/memory_verdict.hpp"
#include "reference/dtypes/dtype.hpp"

namespace attestone {
namespace {

constexpr Extents extents{2, 1, 3, 5};

/// A call that writes every element but one, or every one: the same numbers each time.
Verdict of_call(const char* format, const Strides& strides, index left_out) {
  const auto over = [&](Before contents) -> WatchedCall {
    const auto tensors = std::make_shared<std::array<Tensor, 2>>(
        std::array{Tensor(dtype(format), extents, strides), Tensor(dtype(format), extents, strides)});
    Tensor &before = tensors->front(), &after = tensors->back();
    const double held = contents == Before::nan ? std::nan("") : contents == Before::huge ? 0x1p100 : 3;
    index element = 0;
    for_each_element(before.view(), [&](index b, index h, index r, index c) {
      before.view().set(b, h, r, c, held);
      // Half of its bytes, and more, are those of what was there.
      after.view().set(b, h, r, c, element++ == left_out ? held : 2);
    });
    const NamedTensor out{TensorName::out, &after};
    return {{{TensorName::out, &before}}, {out}, {out}, false, {}, tensors};
  };
  return memory_verdict(over, 0, 1);
}

TEST(UnwrittenElements, AreSeenAndNamed) {
  const Strides packed = packed_strides(extents), apart{64, 64, 7, 1}, across{15, 15, 1, 3};
  for (const char* format : {"f32", "bf16", "f16", "f64"})
    for (const Strides& strides : {packed, apart, across}) {
      EXPECT_EQ(of_call(format, strides, element_count(extents)).outcome, Outcome::passed) << format;
      for (index element = 0; element < element_count(extents); ++element) {
        const Verdict verdict = of_call(format, strides, element);
        EXPECT_EQ(verdict.reason, "unwritten") << format << " " << element;
        EXPECT_EQ(verdict.evidence,
                  fmt::format("out[b{}, h0, {}, c{}] was never written", element / 15, element % 15 / 5, element % 5));
      }
    }
}

}  // namespace
}  // namespace attestone
