// SPDX-License-Identifier: Apache-2.0
// Kernels that compute as tensor cores do, mostly with codes: never called wrong with the arithmetic that they declare,
// and wrong with a better one.
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <ostream>
#include <random>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "simulate/world/mesh_kernel.hpp"
#include "tests/one_in.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

const std::uint64_t drawn_by = seed(20261127);

/// A problem of the kind that the kernel takes.
Problem random_problem_of_codes(index number, const Kernel& kernel) {
  std::mt19937_64 random(drawn_by + static_cast<std::uint64_t>(number));
  const auto one_of_these = [&](auto... choices) {
    const std::array all{choices...};
    return all[random() % all.size()];
  };
  const auto below = [&](index most) { return 1 + static_cast<index>(random() % static_cast<std::uint64_t>(most)); };
  const bool causal = random() % 3 == 0;
  const index queries = one_of_these(below(20), below(150)), keys = one_of_these(below(70), below(200));
  const int kv_heads = one_of_these(1, 1, 2), group = one_of_these(1, 1, 3);
  const index batch = one_of_these(1, 1, 2), rows = causal ? queries : keys;
  const std::string text =
      fmt::format("shape={}x{}/{}x{}x{}x{} dtype={} seed={}{}{}", batch, kv_heads * group, kv_heads, queries, rows,
                  one_of_these(index{64}, index{128}, index{32}, below(128)), one_of_these("f16", "bf16"), number + 1,
                  causal ? " mask=causal" : "", one_of_these("", "", " scale=1", " scale=0.01", " layout=bshd"));
  std::string lengths = fmt::format(" lengths={}", below(rows));
  if (batch == 2) lengths += fmt::format("+{}", below(rows));
  if (causal) lengths += " query_" + lengths.substr(1);
  const char* fill = one_of_these("normal", "normal", "uniform", "outliers", "wide", "monotone", "channel_offset",
                                  "near_ties", "large_logits", "nonfinite", "hot", "subnormal", "low_rank");
  const Problem padded = parse_problem(text + lengths + " fill=" + fill);
  return kernel.takes(padded) ? padded : parse_problem(text + " fill=" + fill);
}

/// Alone, or as what each device of a mesh runs.
SharedKernel kernel_of(std::string_view name) {
  const std::size_t on = name.find(" on ");
  const SharedKernel local = make_kernel(name.substr(0, on));
  if (on == std::string_view::npos) return local;
  Scanner mesh(name.substr(on + 4));
  return std::make_shared<MeshKernel>(make_rank_program("ring:parts=output"), local, read_mesh(mesh));
}

/// Every kernel without a backward pass, in all its examples; and on rings, those that devices can run.
std::vector<std::string> coded_kernels() {
  const Problem problem = parse_problem("shape=1x2x64x64x16 dtype=f16");
  std::vector<std::string> all;
  for (const SharedKernel& kernel : example_kernels())
    if (!kernel->computes_gradients()) all.push_back(kernel->name());
  for (const std::string& name : std::vector(all)) {
    const std::string on_ring = fmt::format("{} on ring:{}", name, 2 + all.size() % 3);
    if (name.find(':') == std::string::npos && kernel_of(on_ring)->takes(problem)) all.push_back(on_ring);
  }
  return all;
}

const std::vector<std::string>& kernels() {
  static const std::vector<std::string> all = coded_kernels();
  return all;
}

class CodedKernels : public testing::TestWithParam<std::size_t> {};

// slow: judges many problems
TEST_P(CodedKernels, AreNeverAccused) {
  const SharedKernel kernel = kernel_of(kernels().at(GetParam()));
  const index count = effort(3, 2000);
  std::vector<Problem> problems;
  for (index n = 0; n < count; ++n)
    problems.push_back(random_problem_of_codes(static_cast<index>(GetParam()) * count + n, *kernel));
  const KernelRun run = examine(kernel, {.problems = problems, .threads = omp_get_max_threads(), .explain = false});
  for (const Failure& failure : run.failures)
    ADD_FAILURE() << failure.property->name << ", " << failure.verdict.reason << ": " << failure.verdict.evidence
                  << "\n"
                  << failure.first.text();
  EXPECT_TRUE(run.own_failures.empty()) << run.own_failures.front();
  fmt::print("{}, seed {}: {} problems, {} cases, {} passed\n", kernels().at(GetParam()), drawn_by, count,
             run.cases.size(), run.counts.at(Outcome::passed));
  EXPECT_GT(run.counts.at(Outcome::passed), 3 * count);
}

INSTANTIATE_TEST_SUITE_P(All, CodedKernels, testing::Range<std::size_t>(0, kernels().size()),
                         [](const auto& test) { return name_of_test(kernels().at(test.param)); });

/// A declaration of better arithmetic than the kernel's own.
struct Better {
  const char* kernel;
  const char* declared;

  friend void PrintTo(const Better& better, std::ostream* out) { *out << better.kernel << ' ' << better.declared; }
};
constexpr Better better[] = {
    {"sage_qk_int8_pv_fp16_triton", "score.key_codes.count=32"},
    {"sage_qk_int8_pv_fp16_triton", "score.query_codes.count=64"},
    {"sage_qk_int8_pv_fp16_triton", "score.key_codes.centring=none"},
    {"sage_qk_int8_pv_fp16_triton", "score.key_codes.centring=in_f32"},
    {"sage_qk_int8_pv_fp16_triton", "score.query_codes.rule=none"},
    {"sage_qk_int8_pv_fp16_triton", "score.mean_product.roundoff=0x1p-24"},
    {"sage_qk_int8_pv_fp16_cuda", "score.key_codes.sharing=rows"},
    {"sage_qk_int8_pv_fp16_cuda", "score.query_codes.sharing=rows"},
    {"sage_qk_int8_pv_fp16_cuda:accumulator=fp16",
     "value.accumulator.roundoff=0x1p-23 output.accumulator.roundoff=0x1p-24"},
    {"sage_qk_int8_pv_fp8_cuda", "value.codes.rule=e4m3"},
    {"sage_qk_int8_pv_fp8_cuda", "value.codes.sharing=head"},
    {"sage_qk_int8_pv_fp8_cuda", "value.codes.rule=none"},
    {"sage_qk_int8_pv_fp8_cuda", "weight_roundoff=0x1p-11"},
    {"sage_qk_int8_pv_fp8_cuda_sm90", "score.query_codes.count=32"},
    {"sage_qk_int8_pv_fp8_cuda_sm90", "score.key_codes.count=64"},
    {"sage2_int4", "score.key_codes.rule=int8_thread"},
    {"sage2_int4", "score.query_codes.centring=none"},
    {"sage2_int4", "score.query_codes.mean_rows=64"},
    {"sage3_fp4", "score.query_codes.mean_rows=64"},
    {"sage3_fp4", "score.query_codes.mean_padding=1"},
    {"sage3_fp4", "score.key_codes.count=32"},
    {"sage3_fp4", "value.codes.sharing=channels"},
    {"sage3_fp4", "weight.block_cast.of_largest=0 weight_roundoff=0x1p-4"},
    {"flash3_fp8", "score.query_codes.rotated=no score.key_codes.rotated=no"},
    {"flash3_fp8:scales=tensor:incoherent=0", "score.accumulator.roundoff=0x1p-23"},
    {"coded_cache", "score.key_codes.sharing=rows"},
    {"coded_cache", "value.codes.sharing=channel"},
    {"coded_cache", "value.codes.rule=e4m3"},
    {"sage_varlen", "score.key_codes.mean_of_batch=no"},
    {"sage_qk_int8_pv_fp16_cuda:accumulator=fp16:smooth_v=1", "value.codes.centring=none"},
    {"sage_qk_int8_pv_fp8_cuda:accumulator=fp32:smooth_v=1", "value.codes.centring=none"},
    {"sage_qk_int8_pv_fp8_cuda:accumulator=fp32:smooth_v=1", "value.codes.mean_padding=1"},
    {"flash3_fp8:value_largest=3", "value.codes.fixed_largest=0"},
    {"flash3_fp8:query_largest=2", "score.query_codes.fixed_largest=2.01"},
    {"coded_cache:key_largest=2", "score.key_codes.fixed_largest=0"},
    {"flash4", "exp_error=0x1p-23"},
    {"flash4", "weight_roundoff=0x1p-14"},
};

class BetterThanItIs : public testing::TestWithParam<Better> {};

// slow: judges many problems
TEST_P(BetterThanItIs, IsConvicted) {
  const auto& [name, declared] = GetParam();
  const SharedKernel own = make_kernel(name);
  const auto claims = std::make_shared<const ChangedKernel>(declaring(*own, declared));
  std::vector<Problem> problems;
  for (const char* line : {"shape=1x2x200x260x64 dtype=f16", "shape=2x1x60x90x64 dtype=f16 fill=channel_offset",
                           "shape=1x1x130x150x128 dtype=bf16 fill=outliers",
                           "shape=1x1x300x300x64 dtype=f16 mask=causal", "shape=1x1x40x70x64 dtype=f16 fill=few_valued",
                           "shape=1x1x300x20x64 dtype=f16 scale=4", "shape=1x1x200x64x1 dtype=f16 scale=3"})
    problems.push_back(parse_problem(line));
  RunOptions options{.problems = problems, .threads = omp_get_max_threads(), .explain = false};
  options.properties = {Registry<Property>::find("codes_bound"), Registry<Property>::find("value_bound")};
  EXPECT_FALSE(examine(claims, options).failures.empty()) << declared;
  EXPECT_TRUE(examine(own, options).failures.empty());
}

INSTANTIATE_TEST_SUITE_P(All, BetterThanItIs, testing::ValuesIn(better), by_parameter);

TEST(CodedKernel, AnswersRowsWithoutKeys) {
  for (const std::string& name : kernels()) {
    const KernelRun run =
        examine(kernel_of(name), {.problems = {parse_problem("shape=1x1x5x0x8 dtype=f16")}, .explain = false});
    EXPECT_TRUE(run.failures.empty()) << name << " " << run.failures.front().verdict.evidence;
  }
}

/// A channel of V may be all zeros, where the sources of e4m3 divide by 0.
TEST(CodedKernel, AnswersChannelsOfZeros) {
  const Problem problem = parse_problem("shape=1x1x5x9x8 dtype=bf16");
  Inputs inputs = filled(problem);
  for (index j = 0; j < 9; ++j) inputs.value.view().set(0, 0, j, 3, 0);
  for (const std::string& name : kernels()) {
    const SharedKernel kernel = kernel_of(name);
    Trial trial(*kernel, problem, inputs);
    for (index i = 0; i < 5; ++i) EXPECT_EQ(trial.answer().outputs.out.view().value(0, 0, i, 3), 0) << name;
    for (const char* property : {"value_bound", "codes_bound"})
      EXPECT_EQ(Registry<Property>::find(property)->check(trial).outcome, Outcome::passed) << name;
  }
}

TEST(CodedKernel, SageIsTheKernelOfItsArchitecture) {
  const Problem problem = parse_problem("shape=1x2x40x130x64 dtype=bf16");
  const std::pair<const char*, const char*> names[] = {
      {"sage:arch=sm80", "sage_qk_int8_pv_fp16_cuda"},
      {"sage:arch=sm86", "sage_qk_int8_pv_fp16_triton"},
      {"sage", "sage_qk_int8_pv_fp8_cuda"},
      {"sage:arch=sm90", "sage_qk_int8_pv_fp8_cuda_sm90"},
      {"sage:arch=sm120", "sage_qk_int8_pv_fp8_cuda:granularity=per_warp"},
  };
  std::vector<Outputs> answers;
  for (const auto& [sage, kernel] : names) {
    const SharedKernel of_architecture = make_kernel(sage), own = make_kernel(kernel);
    Trial by_architecture(*of_architecture, problem), by_name(*own, problem);
    EXPECT_TRUE(by_architecture.answer().outputs.out.same_bytes(by_name.answer().outputs.out)) << sage;
    for (const Outputs& other : answers) EXPECT_FALSE(other.out.same_bytes(by_name.answer().outputs.out)) << sage;
    answers.push_back(by_name.answer().outputs);
  }
}

TEST(CodedKernel, RefusesWhatItsSourcesDo) {
  const SharedKernel kernel = make_kernel("sage_qk_int8_pv_fp8_cuda");
  for (const char* refused :
       {"shape=1x1x4x4x8", "shape=1x1x4x8x8 dtype=f16 mask=causal", "shape=1x1x4x4x8 dtype=f16 mask=window:2:0",
        "shape=1x1x4x4x8 dtype=f16>f32", "shape=1x1x4x4x130 dtype=f16", "shape=1x1x4x4x8:4 dtype=f16",
        "shape=1x1x4x4x8 dtype=f16 score=alibi", "shape=1x1x4x4x8 dtype=f16 dropout=0.1",
        "shape=1x1x4x4x8 dtype=f16 lengths=3", "shape=1x1x4x4x8 dtype=f16 scale=-1",
        "shape=1x1x4x4x8 dtype=f16 pass=forward+backward"})
    EXPECT_FALSE(kernel->takes(parse_problem(refused))) << refused;
  EXPECT_TRUE(kernel->takes(parse_problem("shape=1x4/2x4x4x8 dtype=bf16 mask=causal")));
}

}  // namespace
}  // namespace attestone
