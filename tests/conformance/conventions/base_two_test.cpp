// SPDX-License-Identifier: Apache-2.0
// Numbers that f32 holds to base e, and not to base 2.
#include "conformance/conventions/base_two.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "conformance/conventions/by_convention.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/verdict/element_error.hpp"

namespace attestone {
namespace {

/// Row 1 of head 2 is the only one with a bias, of its first key: log_sum_exp and the largest score are that.
struct Biased {
  Biased(const char* dtype, float bias)
      : problem(parse_problem(std::string("shape=1x4/2x3x3x2 score=bias:full pass=forward+backward "
                                          "wants=out+log_sum_exp+max_logits+dquery+dkey+dvalue+dbias dtype=") +
                              dtype)),
        inputs(filled(problem)) {
    for (index h = 0; h < 4; ++h)
      for (index i = 0; i < 3; ++i)
        for (index j = 0; j < 3; ++j) inputs.bias->view().set(0, h, i, j, h == 2 && i == 1 && j == 0 ? bias : 0);
  }
  Truth forward(const char* conventions) const {
    return by_convention(certify_forward(problem, inputs), declared_conventions(conventions, "the test"), problem,
                         inputs);
  }
  GradientTruth backward(const char* conventions) const {
    return by_convention(certify_backward(problem, inputs), declared_conventions(conventions, "the test"), problem,
                         inputs);
  }
  Problem problem;
  Inputs inputs;
};

TEST(BaseTwo, LeavesOpenWhatItsFormatMayNotHold) {
  const Truth truth = Biased("f32", 2e38F).forward("lse=log2");
  for (index h = 0; h < 4; ++h)
    for (index i = 0; i < 3; ++i) {
      EXPECT_EQ(is_left_open(truth.log_sum_exp(0, h, i)), h == 2 && i == 1) << h << i;
      EXPECT_EQ(is_left_open(truth.max_logits(0, h, i)), h == 2 && i == 1) << h << i;
      EXPECT_FALSE(is_left_open(truth.out(0, h, i, 0)));
    }
  EXPECT_FALSE(is_left_open(Biased("f32", 2e38F).forward("").log_sum_exp(0, 2, 1))) << "to base e";
  EXPECT_FALSE(is_left_open(Biased("f32", 1e38F).forward("lse=log2").log_sum_exp(0, 2, 1))) << "1.44e38 to base 2";
  EXPECT_FALSE(is_left_open(Biased("f64", 2e38F).forward("lse=log2").log_sum_exp(0, 2, 1))) << "f64 holds it";
}

TEST(BaseTwo, LeavesOpenTheGradientsOfSuchARow) {
  const GradientTruth truth = Biased("f32", 2e38F).backward("lse=log2");
  for (index h = 0; h < 4; ++h)
    for (index i = 0; i < 3; ++i) {
      EXPECT_EQ(is_left_open(truth.query.at(0, h, i, 0)), h == 2 && i == 1) << h << i;
      EXPECT_EQ(is_left_open(truth.bias->at(0, h, i, 2)), h == 2 && i == 1) << h << i;
    }
  for (const CertifiedTensor* tensor : {&truth.key, &truth.value}) {
    EXPECT_FALSE(is_left_open(tensor->at(0, 0, 2, 1))) << "of another kv head";
    EXPECT_TRUE(is_left_open(tensor->at(0, 1, 2, 1)));
  }
  EXPECT_FALSE(is_left_open(Biased("f32", 2e38F).backward("").query.at(0, 2, 1, 0))) << "to base e";
  EXPECT_FALSE(is_left_open(Biased("f32", 1e38F).backward("lse=log2").query.at(0, 2, 1, 0)));
}

TEST(BaseTwo, ReadsNumbersAsMultiplesThatAreRounded) {
  const Biased none("f32", 0);
  for (const index i : {0, 1, 2}) {
    const Certified natural = none.forward("").log_sum_exp(0, 1, i),
                    read = none.forward("lse=log2").log_sum_exp(0, 1, i);
    EXPECT_EQ(read.bound, natural.bound + 0x1p-52 * std::abs(natural.value));
  }
}

}  // namespace
}  // namespace attestone
