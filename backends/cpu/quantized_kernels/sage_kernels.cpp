// SPDX-License-Identifier: Apache-2.0
// SageAttention's kernels by name, those of release 2.2.0.
#include "backends/catalogue.hpp"
#include "backends/cpu/quantized_kernels/coded_attention.hpp"
#include "backends/cpu/quantized_kernels/sage_algorithms.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Setting granularity{"granularity", "per_thread", one_of({"per_thread", "per_warp"}),
                          "which rows of Q and K share a scale"};

Setting accumulator(std::string_view fallback, std::vector<std::string> words) {
  return {"accumulator", fallback, one_of(std::move(words)), "how the products P V of tiles are added up"};
}

const Setting smooth_v{"smooth_v", "0", one_of({"0", "1"}), "V loses its mean, which O is given back"};

/// A kernel whose algorithm its settings and the problem choose.
template <CodedAlgorithm (*algorithm)(const Settings&, const Problem&)>
KernelEntry entry(std::string_view name, std::string_view summary, const std::vector<Setting>& settings,
                  const std::vector<std::string>& examples) {
  static const std::string own(name);
  return {
      .name = name, .summary = summary, .settings = settings, .examples = examples, .make = [](const Settings& chosen) {
        algorithm(chosen, Problem{});
        return SharedKernel(std::make_shared<CodedAttention>(own, chosen, algorithm));
      }};
}

/// With smooth_v, if the settings say so: with one accumulator alone. (The sources ignore it with others, and warn.)
CodedAlgorithm smoothed(CodedAlgorithm algorithm, const Settings& settings, const std::string& accumulator) {
  if (settings.text("smooth_v") == "0") return algorithm;
  if (settings.text("accumulator") != accumulator)
    settings.reject("smooth_v", "smooth_v=1 needs accumulator=" + accumulator, "SageAttention ignores it with others");
  return with_smooth_values(algorithm);
}

CodedAlgorithm fp16_triton_of(const Settings&, const Problem&) { return sage_fp16_triton(); }
CodedAlgorithm fp16_cuda_of(const Settings& settings, const Problem& problem) {
  return smoothed(sage_fp16_cuda(settings.text("accumulator"), settings.text("granularity"), problem.shape.dim),
                  settings, "fp16");
}
CodedAlgorithm fp8_cuda_of(const Settings& settings, const Problem&) {
  return smoothed(sage_fp8_cuda(settings.text("accumulator"), settings.text("granularity")), settings, "fp32");
}
CodedAlgorithm fp8_sm90_of(const Settings& settings, const Problem&) {
  return sage_fp8_sm90(settings.text("granularity"));
}

/// sageattention/core.py, sageattn: what it calls on each architecture, with which arguments.
CodedAlgorithm sage_of(const Settings& settings, const Problem& problem) {
  const std::string& architecture = settings.text("arch");
  if (architecture == "sm80") return sage_fp16_cuda("fp32", "per_thread", problem.shape.dim);
  if (architecture == "sm86") return sage_fp16_triton();
  if (architecture == "sm120") return sage_fp8_cuda("fp32+fp16", "per_warp");
  return architecture == "sm89" ? sage_fp8_cuda("fp32+fp16", "per_thread") : sage_fp8_sm90("per_thread");
}

CodedAlgorithm sage2_int4_of(const Settings&, const Problem&) { return sage2_int4(); }

const Registration<KernelEntry> fp16_triton{
    entry<fp16_triton_of>("sage_qk_int8_pv_fp16_triton",
                          "SageAttention: scores of int8 codes by block, P and V in f16 (Triton, sm86)", {}, {})};

const Registration<KernelEntry> varlen{{
    .name = "sage_varlen",
    .summary = "SageAttention for packed sequences: the kernel of Triton, and one mean of K for all of them",
    .settings = {},
    .make = [](const Settings& settings) -> SharedKernel {
      return std::make_shared<CodedAttention>(
          "sage_varlen", settings, [](const Settings&, const Problem&) { return sage_varlen(); }, AnsweredTensors::out);
    },
}};

const Registration<KernelEntry> fp16_cuda{
    entry<fp16_cuda_of>("sage_qk_int8_pv_fp16_cuda", "SageAttention2 with P and V in f16 (CUDA, sm80)",
                        {granularity, accumulator("fp32", {"fp32", "fp16", "fp16+fp32"}), smooth_v},
                        {"granularity=per_warp", "accumulator=fp16", "accumulator=fp16:smooth_v=1",
                         "granularity=per_warp:accumulator=fp16+fp32"})};

const Registration<KernelEntry> fp8_cuda{
    entry<fp8_cuda_of>("sage_qk_int8_pv_fp8_cuda", "SageAttention2 and 2++ with P and V in e4m3 (CUDA, sm89)",
                       {granularity, accumulator("fp32+fp16", {"fp32", "fp32+fp32", "fp32+fp16"}), smooth_v},
                       {"granularity=per_warp", "accumulator=fp32", "accumulator=fp32+fp32",
                        "granularity=per_warp:accumulator=fp32:smooth_v=1"})};

const Registration<KernelEntry> fp8_sm90{entry<fp8_sm90_of>("sage_qk_int8_pv_fp8_cuda_sm90",
                                                            "SageAttention2 with P and V in e4m3 (CUDA, sm90)",
                                                            {granularity}, {"granularity=per_warp"})};

const Registration<KernelEntry> sage{
    entry<sage_of>("sage", "SageAttention 2.2 as an architecture has it: five algorithms under one name",
                   {{"arch", "sm89", one_of({"sm80", "sm86", "sm89", "sm90", "sm120"}), "whose kernel it is"}},
                   {"arch=sm80", "arch=sm86", "arch=sm90", "arch=sm120"})};

const Registration<KernelEntry> int4{entry<sage2_int4_of>(
    "sage2_int4", "SageAttention2 as its paper has it: scores of int4 codes, P and V in e4m3", {}, {})};

}  // namespace
}  // namespace attestone::inline backends
