// SPDX-License-Identifier: Apache-2.0
// PyTorch: a factor for each tensor, up to 180, times the error of its own plain kernel.
#include <cmath>

#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// max |x - g| <= max(1e-5, f max |b - g|), f = 4 for O and dV, 180 for dQ and 16 for dK (flash attention on CUDA). NaN
/// in x fails unless b has one too. b: the math backend, which computes f16 and bf16 in f32 and rounds once.
double factor(TensorName tensor) {
  constexpr double for_query = 180, for_key = 16, for_others = 4;
  return tensor == TensorName::dquery ? for_query : tensor == TensorName::dkey ? for_key : for_others;
}

bool accepts(const Exhibit& exhibit) {
  const double error = largest_distance(exhibit.got, exhibit.golden);
  const double allowed = factor(exhibit.tensor) * largest_distance(exhibit.baseline, exhibit.golden);
  constexpr double least = 1e-5;
  if (std::isnan(error)) return std::isnan(allowed);
  return error <= (allowed > least ? allowed : least);
}

const Registration<Judge> registered{{
    .name = "pytorch_sdpa",
    .rule = "max |x - g| <= max(1e-5, f max |b - g|), f = 4 for O and dV, 16 for dK, 180 for dQ",
    .source = "pytorch/pytorch, test/test_transformers.py, check_out_and_grad",
    .looks_at = {TensorName::out, TensorName::dquery, TensorName::dkey, TensorName::dvalue},
    .baseline = {.rounds = Recipe::Rounds::nothing},
    .usual = "shape=1x4x64x128x32 dtype=f16,bf16 fill=uniform pass=forward+backward\n"
             "shape=1x4x143x143x16 mask=causal dtype=f16,bf16 fill=uniform pass=forward+backward\n"
             "shape=1x4/2x128x64x21 dtype=bf16 fill=uniform pass=forward+backward\n"
             "shape=1x4x64x64x64 dropout=0.22 dtype=f16 fill=uniform pass=forward+backward\n"
             "shape=8x4x4x8x8 dtype=f16,f32 fill=uniform pass=forward+backward",
    .scaled =
        "its lengths below 256, batch 1 or 8; a sample of its grid. Inputs and dO are uniform in [0, 1), as there",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance
