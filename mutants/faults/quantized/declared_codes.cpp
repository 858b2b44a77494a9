// SPDX-License-Identifier: Apache-2.0
// Kernels of codes that compute something else than the arithmetic that they declare.
#include <cmath>
#include <memory>
#include <string>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/cpu/quantized_kernels/coded_attention.hpp"
#include "backends/cpu/quantized_kernels/sage_algorithms.hpp"
#include "mutants/hosts/claims.hpp"
#include "mutants/hosts/mesh.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"
#include "simulate/world/mesh_kernel.hpp"

namespace attestone::inline mutants {
namespace {

/// Declares itself like the kernel of that text, and computes by another algorithm.
SharedKernel computing(const std::string& declared, CodedAttention::AlgorithmOf wrong, const std::string& name) {
  const SharedKernel own = make_kernel(declared);
  const std::string entry = declared.substr(0, declared.find(':'));
  const Settings settings(Registry<KernelEntry>::find(entry)->settings);
  return changed(std::make_shared<CodedAttention>(entry, settings, wrong),
                 {.name = name,
                  .numerics = [own](const Problem& problem) { return own->numerics(problem); },
                  .conventions = own->conventions()});
}

void key_scales_read_before_set(const Kernel& honest, const Problem& problem, const Arguments& given, Device& device) {
  Inputs zeros(problem);
  zeros.key.fill_code(0);
  Arguments arguments = given;
  arguments.key = zeros.key.view();
  honest.forward(problem, arguments, device);
}

/// Hands over K of a cache whose codes leave int8, as the numbers that they wrap to.
void static_scale_wraps(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr double largest = 2, codes = 127, wrap = 256;
  Inputs inputs(problem);
  const View key = inputs.key.view();
  for_each_element(arguments.key, [&](index b, index h, index j, index c) {
    const double code = std::nearbyint(arguments.key.value(b, h, j, c) * codes / largest);
    const double turns = std::floor((code + wrap / 2) / wrap);
    key.set(b, h, j, c, turns == 0 ? arguments.key.value(b, h, j, c) : (code - turns * wrap) * largest / codes);
  });
  Arguments own = arguments;
  own.key = inputs.key.view();
  honest.forward(problem, own, device);
}

CodedAlgorithm value_codes_leave_half(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = sage_fp8_cuda("fp32+fp16", "per_thread");
  algorithm.value_codes.rule = CodeRule::e4m3;
  return algorithm;
}

CodedAlgorithm value_mean_of_real_rows(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = with_smooth_values(sage_fp8_cuda("fp32", "per_thread"));
  algorithm.value_codes.mean_padding = 1;
  return algorithm;
}

void value_mean_not_given_back(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                               Device& device) {
  honest.forward(problem, arguments, device);
  const Shape& shape = problem.shape;
  for_each_element(arguments.out, [&](index b, index h, index i, index c) {
    double sum = 0;
    for (index j = 0; j < shape.keys; ++j) sum += arguments.value.value(b, shape.kv_head(h), j, c);
    if (shape.keys == 0) return;
    arguments.out.set(b, h, i, c, arguments.out.value(b, h, i, c) - sum / static_cast<double>(shape.keys));
  });
}

CodedAlgorithm varlen_mean_of_each_sequence(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = sage_varlen();
  algorithm.key_codes.mean_of_batch = false;
  return algorithm;
}

CodedAlgorithm weights_below_e4m3(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = sage_fp8_cuda("fp32+fp32", "per_thread");
  algorithm.lowered = -8;
  return algorithm;
}

CodedAlgorithm weights_beyond_e4m3(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = sage_fp8_cuda("fp32+fp32", "per_thread");
  algorithm.lowered = 12;  // powers of 2, of which e4m3 has nearly nine
  return algorithm;
}

constexpr const char* local_kernel = "sage_qk_int8_pv_fp16_cuda";

void ring_merges_without_means(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                               Device& device) {
  honest.forward(problem, arguments, device);
  const Shape& shape = problem.shape;
  for_each_element(arguments.log_sum_exp, [&](index b, index h, index i, index) {
    double product = 0;
    for (index c = 0; c < shape.dim; ++c) {
      double sum = 0;
      for (index j = 0; j < shape.keys; ++j) sum += arguments.key.value(b, shape.kv_head(h), j, c);
      product += arguments.query.value(b, h, i, c) * sum / static_cast<double>(shape.keys);
    }
    arguments.log_sum_exp.set(b, h, i, 0, arguments.log_sum_exp.value(b, h, i, 0) - problem.scale() * product);
  });
}

SharedKernel on_ring(const SharedKernel& kernel) {
  Scanner mesh(ring_of_two.mesh);
  return std::make_shared<MeshKernel>(make_rank_program(ring_of_two.method), kernel, read_mesh(mesh));
}

const Registrations<Mutant> registered{
    {.name = "keys_coded_by_token_for_channel",
     .summary = "keeps K with a scale for each token, and declares one for each channel",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x16x16 dtype=f16",
     .kernel = [] { return claiming("keys_coded_by_token_for_channel", "coded_cache:keys=token", "coded_cache"); },
     .twin = [] { return make_kernel("coded_cache"); }},
    {.name = "values_coded_by_channel_for_token",
     .summary = "keeps V with a scale for each channel, and declares one for each token",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x16x16 dtype=f16",
     .kernel =
         [] { return claiming("values_coded_by_channel_for_token", "coded_cache:values=channel", "coded_cache"); },
     .twin = [] { return make_kernel("coded_cache"); }},
    {.name = "key_scales_read_before_set",
     .summary = "scales of K are taken over before they are set, and are 0: rows answer the mean of V",
     .source = "InfiniTensor/InfiniLM PR #553",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x2x4 dtype=f16",
     .kernel =
         [] {
           return changed(make_kernel("coded_cache"),
                          {.name = "key_scales_read_before_set", .forward = key_scales_read_before_set});
         },
     .twin = [] { return make_kernel("coded_cache"); }},
    {.name = "static_scale_wraps",
     .summary = "numbers beyond a static scale wrap around in int8, where they should saturate",
     .source = "PTX ISA, cvt without .sat",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x4 dtype=f16 fill=wide",
     .kernel =
         [] {
           return changed(make_kernel("coded_cache:key_largest=2"),
                          {.name = "static_scale_wraps", .forward = static_scale_wraps});
         },
     .twin = [] { return make_kernel("coded_cache:key_largest=2"); }},
    {.name = "value_codes_leave_half",
     .summary = "V reaches 448 in e4m3 and its sums are those of f16: the products of one key exceed it",
     .source = "thu-ml/SageAttention #221",
     .property = "codes_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x2x4x4 dtype=f16",
     .kernel =
         [] {
           return computing("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp16", value_codes_leave_half,
                            "value_codes_leave_half");
         },
     .twin = [] { return make_kernel("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp16"); }},
    {.name = "value_mean_of_real_rows",
     .summary =
         "the mean of V is that of its rows, where the released kernel counts rows of zeros up to a multiple of 16",
     .source = "thu-ml/SageAttention, csrc/fused/fused.cu, MeanScaleKernel",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x17x8 dtype=f16 fill=wide",
     .kernel =
         [] {
           return computing("sage_qk_int8_pv_fp8_cuda:accumulator=fp32:smooth_v=1", value_mean_of_real_rows,
                            "value_mean_of_real_rows");
         },
     .twin = [] { return make_kernel("sage_qk_int8_pv_fp8_cuda:accumulator=fp32:smooth_v=1"); }},
    {.name = "value_mean_not_given_back",
     .summary = "O is that of V less its mean, which nobody adds",
     .source = "arXiv 2411.10958, section 3.3",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x4 dtype=f16",
     .kernel =
         [] {
           return changed(make_kernel("sage_qk_int8_pv_fp16_cuda:accumulator=fp16:smooth_v=1"),
                          {.name = "value_mean_not_given_back", .forward = value_mean_not_given_back});
         },
     .twin = [] { return make_kernel("sage_qk_int8_pv_fp16_cuda:accumulator=fp16:smooth_v=1"); }},
    {.name = "varlen_mean_of_each_sequence",
     .summary =
         "each sequence loses the mean of its own keys, where the released function takes that of all packed tokens",
     .source = "thu-ml/SageAttention, sageattention/core.py, sageattn_varlen",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=2x1x9x40x16 dtype=f16",
     .kernel = [] { return computing("sage_varlen", varlen_mean_of_each_sequence, "varlen_mean_of_each_sequence"); },
     .twin = [] { return make_kernel("sage_varlen"); }},
    {.name = "weights_below_e4m3",
     .summary =
         "P is at most 2^-8, as if it were divided by a long row's denominator first, and e4m3 keeps a bit of that",
     .source = "ROCm/aiter PR #5642",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x8x4 dtype=f16",
     .kernel =
         [] {
           return computing("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp32", weights_below_e4m3, "weights_below_e4m3");
         },
     .twin = [] { return make_kernel("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp32"); }},
    {.name = "weights_beyond_e4m3",
     .summary = "P reaches 2^12 and saturates at 448 in e4m3, and the denominator is that of P before",
     .source = "Dao-AILab/flash-attention #2577, #2716",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x2x4 dtype=f16",
     .kernel =
         [] {
           return computing("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp32", weights_beyond_e4m3,
                            "weights_beyond_e4m3");
         },
     .twin = [] { return make_kernel("sage_qk_int8_pv_fp8_cuda:accumulator=fp32+fp32"); }},
    {.name = "ring_merges_without_means",
     .summary = "parts of a ring are merged by a log_sum_exp that lacks the product with the mean of each part's K",
     .source = "thu-ml/SageAttention, sageattention/core.py, return_lse",
     .property = "codes_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x8x4 dtype=f16 fill=channel_offset",
     .kernel =
         [] {
           return changed(on_ring(changed(make_kernel(local_kernel), {.forward = ring_merges_without_means})),
                          {.name = "ring_merges_without_means"});
         },
     .twin = [] { return on_ring(make_kernel(local_kernel)); }},
};

}  // namespace
}  // namespace attestone::inline mutants
