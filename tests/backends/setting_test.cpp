// SPDX-License-Identifier: Apache-2.0
// Settings of kernels: what is taken is printed again, and what is not taken has a caret under it.
#include "backends/setting.hpp"

#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

std::string complaint(const std::string& kernel) {
  try {
    make_kernel(kernel);
    return {};
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(Settings, ArePrintedAsTheyAreRead) {
  for (const char* text : {"dense", "flash", "flash:block_q=32:fused_backward=0:workers=3",
                           "chunked:query_chunk_size=7:key_chunk_size=13"})
    EXPECT_EQ(make_kernel(text)->name(), text);
  EXPECT_EQ(make_kernel("flash:workers=3:block_q=032")->name(), "flash:block_q=32:workers=3");
  EXPECT_EQ(make_kernel("flash3_fp8:key_largest=1e2:value_largest=0.50:query_largest=own")->name(),
            "flash3_fp8:key_largest=100:value_largest=0.5");
  EXPECT_EQ(make_kernel("flash:block_q=128:fused_backward=1")->name(), "flash") << "what is the fallback is left out";
}

TEST(Settings, FallBackToWhatTheyTake) {
  for (const auto& [name, entry] : Registry<KernelEntry>::all())
    for (const Setting& setting : entry.settings) {
      EXPECT_EQ(setting.values.accepted(setting.fallback), std::string(setting.fallback)) << name << setting.name;
      for (const std::string& word : setting.values.words) EXPECT_EQ(setting.values.accepted(word), word);
      EXPECT_FALSE(setting.values.accepted("")) << name << setting.name;
      EXPECT_FALSE(setting.values.accepted("1 ")) << name << setting.name;
    }
}

TEST(Settings, PointAtTheValueThatIsNone) {
  EXPECT_EQ(complaint("flash:block_q=0:workers=2"),
            "block_q is an integer, at least 1\n"
            "  flash:block_q=0:workers=2\n"
            "                ^\n"
            "queries that one worker keeps");
  EXPECT_EQ(complaint("flash:fused_backward=yes"),
            "fused_backward is 0 or 1\n"
            "  flash:fused_backward=yes\n"
            "                       ^^^\n"
            "1: one pass sums dQ, dK and dV; 0: one pass for dK and dV, one for dQ");
  for (const char* value : {"", "0", "-1", "nan", "inf", "1e999", "2x", "Own"})
    EXPECT_TRUE(complaint(std::string("coded_cache:key_largest=") + value)
                    .starts_with("key_largest is own, or a number above 0\n"))
        << value;
  EXPECT_EQ(complaint("sage_qk_int8_pv_fp16_cuda:smooth_v=1"),
            "smooth_v=1 needs accumulator=fp16\n"
            "  sage_qk_int8_pv_fp16_cuda:smooth_v=1\n"
            "                                     ^\n"
            "SageAttention ignores it with others");
  EXPECT_EQ(complaint("sage_qk_int8_pv_fp8_cuda:accumulator=fp32:smooth_v=1"), "");
  EXPECT_EQ(complaint("flash:workers=2:workers=3"),
            "workers is given twice\n"
            "  flash:workers=2:workers=3\n"
            "                          ^\n"
            "it was 2 before");
  for (const char* value : {"", "8x", "-1", "1e3", "99999999999999999999", " 8"})
    EXPECT_TRUE(complaint(std::string("flash:block_q=") + value).starts_with("block_q is an integer, at least 1\n"))
        << value;
}

TEST(Settings, PointAtTheValueThatDoesNotFitTheOthers) {
  EXPECT_EQ(complaint("flash:block_kv_compute=48:block_kv=128"),
            "block_kv_compute=48 does not divide block_kv=128\n"
            "  flash:block_kv_compute=48:block_kv=128\n"
            "                         ^^\n"
            "a block is worked on in equal steps, as in block_kv=128:block_kv_compute=64");
}

TEST(Settings, OfWordsTakeOneOfThem) {
  const Values values = one_of({"exact", "fast", "none"});
  EXPECT_EQ(values.text, "exact, fast or none");
  EXPECT_EQ(values.accepted("fast"), "fast");
  EXPECT_FALSE(values.accepted("fas"));
}

}  // namespace
}  // namespace attestone
