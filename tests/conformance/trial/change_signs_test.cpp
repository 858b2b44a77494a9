// SPDX-License-Identifier: Apache-2.0
// Every element has the other sign, once, and nothing else has changed.
#include "conformance/trial/change_signs.hpp"

#include <gtest/gtest.h>

#include "conformance/problems/fill.hpp"

namespace attestone {
namespace {

TEST(ChangeSigns, ChangesThatOfEveryElementOnce) {
  for (const char* text :
       {"layout=bhsd", "layout=broadcast", "layout=strided", "layout=ragged lengths=7+3", "layout=bhsd dtype=bf16",
        "layout=broadcast dtype=f16 fill=nonfinite", "layout=transposed dtype=f64 fill=subnormal"}) {
    const Inputs inputs = filled(parse_problem(std::string("shape=2x4/2x5x7x3 ") + text));
    for (const Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) {
      Tensor changed = *tensor;
      change_signs(changed);
      const ConstView before = tensor->view(), after = std::as_const(changed).view();
      const std::uint64_t sign = before.dtype().encode(-0.0);
      for_each_element(before, [&](index b, index h, index r, index c) {
        ASSERT_EQ(after.code(b, h, r, c), before.code(b, h, r, c) ^ sign) << text;
      });
      EXPECT_TRUE(changed.guards_intact()) << text;
    }
  }
}

// Formats without -0 have one 0, and one NaN in its place.
TEST(ChangeSigns, LeavesZeroWhereItHasNone) {
  Tensor tensor(dtype("e4m3fnuz"), {1, 1, 1, 256});
  for (index code = 0; code < 256; ++code) tensor.view().set_code(0, 0, 0, code, static_cast<std::uint64_t>(code));
  change_signs(tensor);
  for (index code = 0; code < 256; ++code) {
    const bool has_no_sign = code % 128 == 0;
    EXPECT_EQ(tensor.view().code(0, 0, 0, code), static_cast<std::uint64_t>(has_no_sign ? code : code ^ 128)) << code;
  }
}

}  // namespace
}  // namespace attestone
