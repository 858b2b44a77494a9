// SPDX-License-Identifier: Apache-2.0
// A problem survives its own text, and a wrong text is pointed at.
#include "reference/problem.hpp"

#include <gtest/gtest.h>

#include "reference/user_error.hpp"

namespace attestone {
namespace {

std::string complaint(std::string_view text) {
  try {
    parse_problem(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ProblemText, PrintsTheCanonicalLine) {
  const char* canonical =
      "shape=2x8/2x10x10x64:32 lengths=7+9 query_lengths=3+4 mask=(causal|window:128:0)&~causal:top_left "
      "score=softcap:30&alibi scale=0.1 dropout=0.25 dtype=bf16>f32 layout=bshd fill=capture:a.st:x "
      "pass=forward+backward seed=7";
  EXPECT_EQ(parse_problem(canonical).text(), canonical);
}

TEST(ProblemText, OmitsDefaultsAndAcceptsAnyOrder) {
  EXPECT_EQ(parse_problem("seed=1  dtype=f32>f32 mask=full shape=1x4/4x8x8x4:4").text(), "shape=1x4x8x8x4");
}

TEST(ProblemText, PointsAtTheMistake) {
  EXPECT_EQ(complaint("shape=1x1x8x8x4 mask=casual"),
            "unknown mask 'casual'\n"
            "  shape=1x1x8x8x4 mask=casual\n"
            "                       ^^^^^^\n"
            "did you mean 'causal'?");
  EXPECT_EQ(complaint("shape=1x3/2x8x8x4"),
            "heads (3) is no multiple of kv_heads (2): query heads share kv heads in equal groups\n"
            "  shape=1x3/2x8x8x4\n"
            "        ^^^^^^^^^^^");
}

TEST(ProblemText, PointsAtWrongArgumentsOfMasks) {
  EXPECT_EQ(complaint("shape=1x1x8x8x4 mask=causal|dense:101"),
            "the argument of the mask is at most 100\n"
            "  shape=1x1x8x8x4 mask=causal|dense:101\n"
            "                                    ^^^");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 mask=document:0"),
            "the argument of the mask is at least 1\n"
            "  shape=1x1x8x8x4 mask=document:0\n"
            "                                ^");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 mask=needle"),
            "mask 'needle' needs its arguments\n"
            "  shape=1x1x8x8x4 mask=needle\n"
            "                       ^^^^^^\n"
            "write needle:STRIDE");
  for (const char* wrong : {"prefix:-1", "block:0", "needle:0", "dilated:0", "dense:-1", "block:2:3"})
    EXPECT_FALSE(complaint(std::string("shape=1x1x8x8x4 mask=") + wrong).empty()) << wrong;
}

TEST(ProblemText, PointsAtWrongKinds) {
  EXPECT_EQ(complaint("shape=1x1x8x8x4 score=bias:heads"),
            "'heads' is no kind of bias\n"
            "  shape=1x1x8x8x4 score=bias:heads\n"
            "                             ^^^^^\n"
            "known: full head batch pair key");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 score=sink"),
            "score term 'sink' needs a kind\n"
            "  shape=1x1x8x8x4 score=sink\n"
            "                            ^\n"
            "known: head");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 score=alibi&bias:full"),
            "'alibi' and 'bias' exclude each other\n"
            "  shape=1x1x8x8x4 score=alibi&bias:full\n"
            "                              ^^^^\n"
            "a problem has one bias; add several up in the tensor of score=bias:full");
}

TEST(ProblemText, PointsAtNumbersThatF32HasNot) {
  EXPECT_EQ(complaint("shape=1x1x8x8x4 score=relative_position:1e39"),
            "the argument of 'relative_position' is beyond f32\n"
            "  shape=1x1x8x8x4 score=relative_position:1e39\n"
            "                                          ^^^^");
  EXPECT_EQ(complaint("shape=1x1x8x8x4 score=softcap:1e-60"),
            "the argument of 'softcap' is greater than 0\n"
            "  shape=1x1x8x8x4 score=softcap:1e-60\n"
            "                                ^^^^^");
}

TEST(ProblemText, PointsAtALayoutThatTheShapeHasNot) {
  for (const char* shape : {"1x1x8x9x4", "1x1x8x8x4:5"})
    EXPECT_EQ(complaint(std::string("layout=packed_qkv shape=") + shape),
              "layout 'packed_qkv' needs as many queries as keys, and dim = value_dim\n"
              "  layout=packed_qkv shape=" +
                  std::string(shape) +
                  "\n"
                  "         ^^^^^^^^^^\n"
                  "layouts of every shape: bhsd broadcast bshd ragged strided");
  EXPECT_EQ(complaint("layout=packed_qkv shape=2x6/2x8x8x4 lengths=3+0"), "");
}

TEST(ProblemText, PointsAtFormatsThatNeedScales) {
  EXPECT_EQ(complaint("shape=1x1x8x8x4 dtype=bf16>int8"),
            "dtype 'int8' needs a scale for each block of elements, and no problem has scales yet\n"
            "  shape=1x1x8x8x4 dtype=bf16>int8\n"
            "                             ^^^^\n"
            "formats that need none: bf16 e4m3 e5m2 f16 f32 f64");
  for (const char* name : {"e2m1", "e2m3", "e3m2", "e8m0", "int4", "uint8"})
    EXPECT_NE(complaint(std::string("shape=1x1x8x8x4 dtype=") + name).find("needs a scale"), std::string::npos) << name;
}

TEST(ProblemText, CommasMultiply) {
  EXPECT_EQ(parse_problems("shape=1x1x8x8x4 mask=full,causal dtype=f16,bf16").size(), 4u);
}

}  // namespace
}  // namespace attestone
