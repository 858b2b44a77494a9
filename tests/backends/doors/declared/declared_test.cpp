// SPDX-License-Identifier: Apache-2.0
// What outside kernels declare as text: limits that refuse, numerics that replace, mistakes that are pointed out.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>

#include "backends/doors/declared/declared_limits.hpp"
#include "backends/doors/declared/declared_numerics.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

bool takes(const char* limits, const char* problem) {
  return static_cast<bool>(DeclaredLimits(limits, "it").supports(parse_problem(problem)));
}

TEST(DeclaredLimits, LimitNothingWhereNothingIsDeclared) {
  EXPECT_TRUE(takes("", "shape=1x4/2x8x8x8 mask=causal score=softcap:3 dropout=0.5 dtype=bf16 layout=bshd"));
}

TEST(DeclaredLimits, RefuseWhatTheyDoNotName) {
  const std::pair<const char*, const char*> refused[] = {
      {"dtypes=f32", "shape=1x1x8x8x8 dtype=bf16"},
      {"dtypes=f16", "shape=1x1x8x8x8 dtype=f16>f32"},
      {"layouts=bhsd+bshd", "shape=1x1x8x8x8 layout=strided"},
      {"masks=full", "shape=1x1x8x8x8 mask=causal"},
      {"masks=band", "shape=1x1x8x8x8"},
      {"masks=full+band", "shape=1x1x8x8x8 mask=dilated:3"},
      {"masks=full+band", "shape=1x1x8x8x8 mask=causal|window:1:1"},
      {"scores=", "shape=1x1x8x8x8 score=softcap:3"},
      {"scores=alibi+sink", "shape=1x1x8x8x8 score=bias:head"},
      {"dropout=no", "shape=1x1x8x8x8 dropout=0.5"},
      {"bias_gradients=no", "shape=1x1x8x8x8 score=bias:head pass=forward+backward"},
      {"sink_gradients=no", "shape=1x1x8x8x8 score=sink:head pass=forward+backward"},
      {"gqa=no", "shape=1x4/2x8x8x8"},
      {"lengths=no", "shape=1x1x8x8x8 lengths=3"},
      {"max_dim=8", "shape=1x1x8x8x8:9"},
      {"max_queries=8", "shape=1x1x9x8x8"},
      {"max_keys=8", "shape=1x1x8x9x8"},
  };
  for (const auto& [limits, problem] : refused) EXPECT_FALSE(takes(limits, problem)) << limits << "  " << problem;
}

TEST(DeclaredLimits, TakeWhatTheyName) {
  const std::pair<const char*, const char*> taken[] = {
      {"dtypes=f16+f32", "shape=1x1x8x8x8 dtype=f16>f32"},
      {"masks=band", "shape=1x1x8x8x8 mask=causal&window:3:0"},
      {"masks=any", "shape=1x1x8x8x8 mask=dilated:3"},
      {"masks=full", "shape=1x1x8x8x8 lengths=3"},
      {"bias_gradients=no", "shape=1x1x8x8x8 score=bias:head"},
      {"bias_gradients=no", "shape=1x1x8x8x8 score=alibi pass=forward+backward"},
      {"sink_gradients=no", "shape=1x1x8x8x8 score=bias:head pass=forward+backward"},
      {"scores=softcap+bias", "shape=1x1x8x8x8 score=softcap:3&bias:head"},
      {"max_dim=8 max_keys=8", "shape=1x1x9x8x8"},
  };
  for (const auto& [limits, problem] : taken) EXPECT_TRUE(takes(limits, problem)) << limits << "  " << problem;
}

TEST(DeclaredLimits, PointAtMistakes) {
  for (const char* wrong :
       {"dtype=f32", "dtypes=f23", "max_dim=", "max_dim=-1", "max_dim=8x", "dropout=maybe", "?", "="})
    EXPECT_THROW(DeclaredLimits(wrong, "it"), UserError) << wrong;
}

TEST(DeclaredNumerics, ReplaceWhatTheyName) {
  const Numerics before = default_numerics(dtype("f32"), dtype("f32"));
  const Numerics after = with_declared(before, "weight_roundoff=0x1p-9  tile_keys=64 accumulator_truncates=yes", "it");
  EXPECT_EQ(after.weight_roundoff, 0x1p-9);
  EXPECT_EQ(after.tile_keys, 64);
  EXPECT_TRUE(after.accumulator_truncates);
  EXPECT_EQ(after.exp_error, before.exp_error);
  EXPECT_EQ(after.class_name, "declared");
  EXPECT_EQ(with_declared(before, " ", "it").class_name, before.class_name);
}

TEST(DeclaredNumerics, PointAtMistakes) {
  for (const char* wrong :
       {"weight_roundof=1", "weight_roundoff", "weight_roundoff=", "weight_roundoff=x", "exp_error=-1", "exp_error=nan",
        "exp_error=inf", "tile_keys=1.5", "tile_keys=1e30", "accumulator_truncates=1"})
    EXPECT_THROW(with_declared({}, wrong, "it"), UserError) << wrong;
}

// A field that is added to Numerics and forgotten among the declared ones could not be declared.
TEST(DeclaredNumerics, KnowEveryField) {
  std::ifstream file(std::string(ATTESTONE_SOURCE_DIR) + "/reference/numerics.hpp");
  const std::regex field("^  (?:double|bool|index) ([a-z_]+) = ");
  std::vector<std::string> names;
  std::smatch match;
  for (std::string line; std::getline(file, line);)
    if (std::regex_search(line, match, field)) names.push_back(match[1]);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(numerics_fields(), names);
}

}  // namespace
}  // namespace attestone
