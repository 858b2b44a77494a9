// SPDX-License-Identifier: Apache-2.0
// SGLang's unit tests of attention: one tolerance, behind the projection of the output.
#include <cmath>

#include "conformance/problems/standard_normal.hpp"
#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr index hidden_size = 64;

/// The weights of a torch.nn.Linear from what all heads answer to one query to the hidden state, row by row: uniform in
/// [-1, 1) / sqrt(inputs).
std::vector<double> projection(index inputs) {
  constexpr std::uint64_t seed = 2026;
  const double bound = 1 / std::sqrt(static_cast<double>(inputs));
  std::vector<double> weights;
  for (std::uint32_t row = 0; row < hidden_size; ++row)
    for (std::uint32_t column = 0; column < static_cast<std::uint32_t>(inputs); ++column)
      weights.push_back(bound * (2 * Draw(seed, {row, column, 0, 0}).uniform() - 1));
  return weights;
}

/// The hidden states of all queries, rounded to the format.
std::vector<double> projected(const Exhibit& exhibit, const std::vector<double>& out,
                              const std::vector<double>& weights) {
  const Shape& s = exhibit.problem.shape;
  std::vector<double> hidden;
  for (index b = 0; b < s.batch; ++b)
    for (index i = 0; i < s.queries; ++i) {
      auto weight = weights.begin();
      for (index row = 0; row < hidden_size; ++row) {
        double sum = 0;
        for (index h = 0; h < s.heads; ++h) {
          auto element = out.begin() + ((b * s.heads + h) * s.queries + i) * s.value_dim;
          for (index c = 0; c < s.value_dim; ++c) sum += *weight++ * *element++;
        }
        hidden.push_back(exhibit.dtype().round(sum));
      }
    }
  return hidden;
}

/// torch.testing.assert_close: |W x - W b| <= 3e-2 + 3e-2 |W b| for every element of the hidden states, of which there
/// are 64 for each query; NaN is never close, infinities if they are equal. b: attention in f32, rounded once.
bool accepts(const Exhibit& exhibit) {
  constexpr double tolerance = 3e-2;
  const std::vector<double> weights = projection(exhibit.problem.shape.heads * exhibit.problem.shape.value_dim);
  return all_close(projected(exhibit, exhibit.got, weights), projected(exhibit, exhibit.baseline, weights),
                   {.absolute = tolerance, .relative = tolerance});
}

/// An element of its projections of normal hidden states: normal with variance 1/3.
double element(const Draw& draw, TensorName) { return standard_normal(draw) / std::sqrt(3.0); }

const Registration<Judge> registered{{
    .name = "sglang",
    .rule = "|W x - W b| <= 3e-2 + 3e-2 |W b|, W the projection of O to 64 hidden channels",
    .source = "sgl-project/sglang at 0178dc9 (2026), "
              "python/sglang/test/kits/attention_unittest/attention_methods/dense_attention.py",
    .looks_at = {TensorName::out},
    .baseline = {.rounds = Recipe::Rounds::nothing},
    .usual = "shape=2x4x3x5x16 query_lengths=3+1 mask=causal dtype=f16 layout=ragged\n"
             "shape=1x4x16x16x16 mask=causal dtype=f16\n"
             "shape=3x4x17x17x16 query_lengths=15+16+17 lengths=15+16+17 mask=causal dtype=f16 layout=ragged\n"
             "shape=1x4x2x17x16,1x4x2x18x16,1x4x2x33x16 mask=causal dtype=f16\n"
             "shape=1x4x8x16x16,1x4/1x8x16x16 mask=causal dtype=f16\n"
             "shape=3x4x15x17x16 query_lengths=15+8+1 lengths=15+16+17 mask=causal dtype=f16 layout=ragged\n"
             "shape=3x4x1x17x16,3x4/2x1x17x16 lengths=15+16+17 dtype=f16\n"
             "shape=1x4x1x8x16 dtype=f16\n"
             "shape=3x4x5x5x16 query_lengths=3+4+5 lengths=3+4+5 mask=window:4:0 dtype=f16 layout=ragged\n"
             "shape=3x4x2x7x16 lengths=5+6+7 mask=window:4:0 dtype=f16 layout=ragged",
    .scaled = "nothing: its dense cases. Q, K and V are drawn as its projections of normal hidden states come out; "
              "rows lie one after the other, not in pages",
    .element = element,
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
