// SPDX-License-Identifier: Apache-2.0
// What outside kernels declare as text: limits that refuse, and mistakes that are pointed out.
#include <gtest/gtest.h>

#include "backends/plugins/declared/declared_limits.hpp"
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
      {"layouts=bhsd+bshd", "shape=1x1x8x8x8 layout=bhsd+key/transposed"},
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
      {"zero_extents=no", "shape=1x1x0x8x8"},
      {"zero_extents=no", "shape=1x1x8x0x8"},
      {"zero_extents=no", "shape=2x1x8x8x8 lengths=0+8"},
      {"value_dim=no", "shape=1x1x8x8x8:9"},
      {"mixed_output=no", "shape=1x1x8x8x8 dtype=bf16>f32"},
      {"negative_scale=no", "shape=1x1x8x8x8 scale=-1"},
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
      {"zero_extents=no value_dim=no mixed_output=no negative_scale=no", "shape=2x1x9x8x8 lengths=1+8 dtype=bf16"},
      {"negative_scale=no", "shape=1x1x8x8x8 scale=0.5"},
  };
  for (const auto& [limits, problem] : taken) EXPECT_TRUE(takes(limits, problem)) << limits << "  " << problem;
}

TEST(DeclaredLimits, PointAtMistakes) {
  for (const char* wrong :
       {"dtype=f32", "dtypes=f23", "max_dim=", "max_dim=-1", "max_dim=8x", "dropout=maybe", "?", "="})
    EXPECT_THROW(DeclaredLimits(wrong, "it"), UserError) << wrong;
}

}  // namespace
}  // namespace attestone
