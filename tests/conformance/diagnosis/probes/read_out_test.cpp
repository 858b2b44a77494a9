// SPDX-License-Identifier: Apache-2.0
// Read-outs: nothing is said of right kernels, and wrong masks and scores are shown as they are.
#include "conformance/diagnosis/probes/read_out.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

#include "backends/forwarding_kernel.hpp"
#include "conformance/diagnosis/probes/effective_mask.hpp"
#include "conformance/diagnosis/probes/effective_scores.hpp"
#include "conformance/diagnosis/probes/precision_class.hpp"
#include "conformance/problems/generate.hpp"
#include "mutants/mutant.hpp"
#include "reference/numerics/exactness.hpp"
#include "reference/registry.hpp"
#include "tests/backends/published_kernels.hpp"
#include "tests/conformance/run/random_kernel.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

SharedKernel mutant(const char* name) { return Registry<Mutant>::find(name)->kernel(); }

// slow: probes every kernel
TEST(Probes, SayNothingOfRightKernels) {
  for (const std::string& name : names_of_kernels_with_gradients())
    for (index number = 0; number < effort(60, 2000); ++number) {
      const Problem problem = random_problem(4711, number);
      const std::string kernel = random_kernel(name, static_cast<unsigned>(number));
      EXPECT_TRUE(read_out(*make_kernel(kernel), problem).empty()) << kernel << " " << problem.text();
    }
}

// slow: probes every kernel
TEST(Probes, SayNothingOfRightKernelsOfCodes) {
  for (const char* line : {"shape=1x2x9x40x16 dtype=f16", "shape=2x4/2x20x20x32 mask=causal dtype=bf16",
                           "shape=1x1x5x70x64 dtype=f16 scale=0.7"}) {
    const Problem problem = parse_problem(line);
    for (const SharedKernel& kernel : example_kernels()) {
      if (reads_what_is_given(kernel->numerics(problem))) continue;
      EXPECT_TRUE(read_out(*kernel, problem).empty()) << kernel->name() << " " << line;
    }
  }
}

/// Where V is coded, keys that are missing may only have been lost on their way.
TEST(Probes, DrawNoMissingKeysWhereValuesAreCodes) {
  EXPECT_FALSE(wrong_mask(*mutant("value_scales_of_first_page"), parse_problem("shape=1x1x2x66x4 dtype=f16")));
}

/// A kernel that is wrong in its first calls, and then right.
class WrongAtFirst final : public ForwardingKernel {
 public:
  WrongAtFirst(SharedKernel wrong, SharedKernel right, index calls)
      : ForwardingKernel(std::move(wrong)), right_(std::move(right)), calls_left_(calls) {}

  std::string name() const override { return "wrong_at_first"; }
  void forward(const Problem& problem, const Arguments& arguments, Device& device) const override {
    (calls_left_-- > 0 ? inner() : *right_).forward(problem, arguments, device);
  }
  index calls_left() const { return calls_left_; }

 private:
  SharedKernel right_;
  mutable index calls_left_;
};

/// A mask that depends on a race, or on the history of calls, is not drawn: each part must be seen a second time.
TEST(Probes, DrawNoMaskThatComesAndGoes) {
  const Problem problem = parse_problem("shape=1x1x1x20x4");
  constexpr index many = 1000;
  const WrongAtFirst always(mutant("lost_tail"), make_kernel("flash"), many);
  EXPECT_TRUE(wrong_mask(always, problem));
  const index calls = many - always.calls_left(), parts = 20 / 4;
  for (index wrong = calls - parts; wrong < calls; ++wrong)
    EXPECT_FALSE(wrong_mask(WrongAtFirst(mutant("lost_tail"), make_kernel("flash"), wrong), problem)) << wrong;
}

TEST(Probes, DrawTheMaskThatAKernelUses) {
  const auto mask = wrong_mask(*mutant("causal_top_left"), parse_problem("shape=1x1x2x4x3 mask=causal"));
  ASSERT_TRUE(mask);
  EXPECT_EQ(mask->picture(),
            (std::vector<std::string>{"2 of 2 queries of batch 0, head 0 use other keys than they should:",
                                      "  query  should   uses", "  q0     ###.     #...", "  q1     ####     ##.."}));
  const auto window =
      wrong_mask(*mutant("window_off_by_one"), parse_problem("shape=1x1x3x3x1 mask=window:1:0 dtype=bf16"));
  ASSERT_TRUE(window);
  EXPECT_EQ(window->picture(),
            (std::vector<std::string>{"1 of 3 queries of batch 0, head 0 use other keys than they should:",
                                      "  query  should   uses", "  q2     .##      ###"}));
}

/// Rows that are right have no place in a picture of what is wrong; of many others the first are drawn.
TEST(Probes, DrawOnlyRowsThatDiffer) {
  const auto few = wrong_mask(*mutant("window_of_first_row"), parse_problem("shape=1x1x40x40x8 mask=window:1:0"));
  ASSERT_TRUE(few);
  const std::vector<std::string> picture = few->picture();
  EXPECT_EQ(picture.size(), 2 + 12 + 1u);
  for (std::size_t line = 2; line < 14; ++line) {
    std::istringstream words(picture[line]);
    std::string query, right, used;
    words >> query >> right >> used;
    EXPECT_NE(right, used) << picture[line];
    EXPECT_EQ(query[0], 'q') << picture[line];
  }
  EXPECT_EQ(picture.back(), fmt::format("  ... {} further queries differ", few->differing_queries().size() - 12));
  // 70 keys have no room: those from which the tail of 6 can be seen are drawn.
  const auto wide = wrong_mask(*mutant("lost_tail"), parse_problem("shape=1x1x1x70x16"));
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->picture()[0],
            "1 of 1 queries of batch 0, head 0 use other keys than they should; keys 22 to 69 of 70:");
  EXPECT_NE(wide->picture()[2].find("##......"), std::string::npos) << wide->picture()[2];
}

TEST(Probes, FindTheSequenceAndTheHead) {
  const auto mask = wrong_mask(*mutant("lost_tail"), parse_problem("shape=2x2x1x20x4 lengths=16+18"));
  ASSERT_TRUE(mask);
  EXPECT_EQ(mask->batch, 1);
  EXPECT_EQ(mask->head, 0);
}

TEST(Probes, ReadTheScaleAndTheSoftcap) {
  for (const char* format : {"f32", "f16", "bf16"}) {
    const auto scores =
        wrong_scores(*mutant("scale_twice"), parse_problem("shape=1x1x1x2x16 dtype=" + std::string(format)));
    ASSERT_EQ(scores.size(), 4u) << format;
    EXPECT_EQ(scores[3].q_k, 16);
    EXPECT_EQ(scores[3].right, 4);
    EXPECT_NEAR(scores[3].got, 1, 0.02) << format;
  }
  EXPECT_TRUE(wrong_scores(*mutant("scale_twice"), parse_problem("shape=1x1x1x2x1")).empty());  // 1 twice is 1
}

/// However long the row is.
// slow: probes every kernel
TEST(Probes, NameTheClassThatAKernelIsWorthyOf) {
  for (index keys = 128; keys <= effort(1024, 65536); keys *= 8) {
    const Problem problem = parse_problem(fmt::format("shape=1x1x1x{}x16", keys));
    const auto class_of = [&](const Kernel& kernel) -> std::string {
      const auto worthy = worthy_class(kernel, problem);
      return worthy ? std::string(worthy->is->name) : "";
    };
    EXPECT_EQ(class_of(*mutant("weights_in_bf16")), "bf16-P") << keys;
    EXPECT_EQ(class_of(*mutant("scores_in_bf16")), "bf16-S") << keys;
    EXPECT_EQ(class_of(*mutant("tf32_products")), "tf32") << keys;
    EXPECT_EQ(class_of(*mutant("sums_of_14_bits")), "14-bit accumulator") << keys;
    for (const char* right : {"dense", "chunked", "flash", "flash:block_q=8:block_kv=16"})
      EXPECT_EQ(class_of(*make_kernel(right)), "") << right << " " << keys;
  }
}

}  // namespace
}  // namespace attestone
