// SPDX-License-Identifier: Apache-2.0
// Gains of parts: which parts get a bound, and the offset of log_sum_exp.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/properties/tensor_part.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const AxisNames axes{"batch", "head", "query", "channel"};
constexpr double u = 0x1p-8;

/// All elements are 1; those that `wrong` holds are 1 + u.
std::vector<TensorPart> suspects(const Extents& extents, const TensorPart& wrong, double off = u) {
  PartScan scan(extents, u);
  for (index b = 0; b < extents[0]; ++b)
    for (index h = 0; h < extents[1]; ++h)
      for (index r = 0; r < extents[2]; ++r)
        for (index c = 0; c < extents[3]; ++c) {
          const Extents at{b, h, r, c};
          scan.add(at, 1, wrong.holds(at) ? 1 + off : 1);
        }
  return scan.suspects();
}

TEST(PartScan, NamesTheWrongPartOfEachAxis) {
  const Extents extents{2, 3, 200, 8};
  for (const TensorPart& wrong : {TensorPart{1, 2, 2}, TensorPart{2, 64, 127}, TensorPart{3, 5, 5}}) {
    const auto found = suspects(extents, wrong);
    const auto same = [&](const TensorPart& part) { return part.text(axes) == wrong.text(axes); };
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), same)) << wrong.text(axes);
  }
}

/// 9 u / sqrt(n) is what n roundings of different numbers may do to a gain.
TEST(PartScan, ExcusesWhatRoundingExplains) {
  const Extents extents{1, 2, 100, 9};  // 900 elements of a head: 0.3 u
  const TensorPart head{1, 1, 1};
  EXPECT_EQ(suspects(extents, head, 0.29 * u).size(), 0u);
  EXPECT_GE(suspects(extents, head, 0.31 * u).size(), 1u);
}

TEST(PartScan, LeavesSmallPartsToTheirElements) {
  EXPECT_TRUE(suspects({1, 4, 81, 1}, {1, 2, 2}).empty());
  EXPECT_FALSE(suspects({1, 4, 82, 1}, {1, 2, 2}).empty());
}

TEST(TensorPart, SaysWhereItIs) {
  EXPECT_EQ(TensorPart{}.text(axes), "on the whole");
  EXPECT_EQ((TensorPart{1, 2, 2}.text(axes)), "in head 2");
  EXPECT_EQ((TensorPart{2, 64, 127}.text(axes)), "in query 64 to 127");
}

/// log_sum_exp of one head is off by this share of the mean of its bounds.
Verdict verdict_on_offset(double share) {
  const Problem problem = parse_problem("shape=4x2x64x4x16 dtype=bf16 fill=uniform");
  const SharedKernel dense = make_kernel("dense");
  Trial trial(*dense, problem);
  double sum = 0;
  for (index b = 0; b < 4; ++b)
    for (index i = 0; i < 64; ++i) sum += trial.bound().row(b, 1, i)->log_sum_exp() / (4 * 64);
  const SharedKernel off =
      changed(dense, {.forward = [&](const Kernel& honest, const Problem& p, const Arguments& to, Device& device) {
                honest.forward(p, to, device);
                for (index b = 0; b < 4; ++b)
                  for (index i = 0; i < 64; ++i)
                    to.log_sum_exp.set(b, 1, i, 0, to.log_sum_exp.value(b, 1, i, 0) + share * sum);
              }});
  return examine_case(*off, *Registry<Property>::find("gain"), problem);
}

TEST(LogSumExpOffset, IsWhatRoundingOnAverageCannotDo) {
  EXPECT_EQ(verdict_on_offset(0.5).outcome, Outcome::passed);
  const Verdict wrong = verdict_on_offset(1);
  EXPECT_EQ(wrong.reason, "wrong-log-sum-exp") << wrong.evidence;
  EXPECT_NE(wrong.evidence.find("in head 1"), std::string::npos) << wrong.evidence;
}

}  // namespace
}  // namespace attestone
