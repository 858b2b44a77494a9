// SPDX-License-Identifier: Apache-2.0
// NaN and infinities in the backward pass: invisible ones never matter; visible ones give NaN, or leave nothing known.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "reference/certified/gradient_truth.hpp"
#include "reference/dropout.hpp"
#include "tests/reference/certified/adversarial_fills.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct BackwardScene {
  Problem problem;
  Inputs inputs;
  explicit BackwardScene(std::string text) : problem(parse_problem(text + " pass=forward+backward")), inputs(problem) {
    Random random(6);
    adversarial_fills().front().fill(problem, inputs, random);
  }
  GradientTruth truth() const { return certify_backward(problem, inputs); }
};

enum class Kind { finite, not_a_number, unbounded };
Kind kind(const Certified& x) {
  if (std::isnan(x.value)) return x.decided && x.bound == 0 ? Kind::not_a_number : Kind::finite;
  return x.bound == infinity && !x.decided ? Kind::unbounded : Kind::finite;
}
Kind row_kind(const CertifiedTensor& tensor, index row) {
  for (index c = 1; c < tensor.extents()[3]; ++c)
    EXPECT_EQ(kind(tensor.at(0, 0, row, c)), kind(tensor.at(0, 0, row, 0))) << row << " " << c;
  return kind(tensor.at(0, 0, row, 0));
}

void expect_equal(const CertifiedTensor& a, const CertifiedTensor& b) {
  for (index i = 0; i < element_count(a.extents()); ++i) {
    EXPECT_EQ(a.at(0, 0, 0, i).value, b.at(0, 0, 0, i).value);
    EXPECT_EQ(a.at(0, 0, 0, i).bound, b.at(0, 0, 0, i).bound);
  }
}

TEST(SpecialGradients, InvisibleOnesNeverMatter) {
  const char* text = "shape=1x1x8x80x8 lengths=70 query_lengths=6 score=bias:pair";
  BackwardScene clean(text), dirty(text);
  for (const double x : {nan, infinity, 3e38}) {
    for (index key = 70; key < 80; ++key) {
      dirty.inputs.key.view().set(0, 0, key, key % 8, x), dirty.inputs.value.view().set(0, 0, key, 3, x);
      dirty.inputs.bias->view().set(0, 0, 2, key, x);
    }
    dirty.inputs.query.view().set(0, 0, 7, 1, x), dirty.inputs.dout->view().set(0, 0, 6, 1, x);
    const GradientTruth expected = clean.truth(), found = dirty.truth();
    expect_equal(found.query, expected.query);
    expect_equal(found.key, expected.key);
    expect_equal(found.value, expected.value);
    expect_equal(*found.bias, *expected.bias);
  }
}

/// Query 2 sees keys 0 to 2, its NaN reaches those; what other rows send to them is lost, too.
TEST(SpecialGradients, NanScoresReachAllThatTheRowSees) {
  BackwardScene scene("shape=1x1x4x4x3 mask=causal score=bias:pair&sink:head");
  set_all(*scene.inputs.bias, [](index, index) { return 0.5; });
  scene.inputs.query.view().set(0, 0, 2, 1, nan);
  const GradientTruth truth = scene.truth();
  for (index row = 0; row < 4; ++row) {
    EXPECT_EQ(row_kind(truth.query, row), row == 2 ? Kind::not_a_number : Kind::finite);
    EXPECT_EQ(row_kind(truth.key, row), row <= 2 ? Kind::not_a_number : Kind::finite);
    EXPECT_EQ(row_kind(truth.value, row), row <= 2 ? Kind::not_a_number : Kind::finite);
    EXPECT_EQ(kind(truth.bias->at(0, 0, 2, row)), row <= 2 ? Kind::not_a_number : Kind::finite);
    EXPECT_EQ(kind(truth.bias->at(0, 0, 3, row)), Kind::finite);
  }
  EXPECT_EQ(kind(truth.sink->at(0, 0, 0, 0)), Kind::not_a_number);
}

/// Of a gradient of V that rows with a NaN in V, or in another channel of dO, have a share in, nothing is claimed.
TEST(SpecialGradients, NanValuesReachScoresButMakeNoGradientOfVNan) {
  const BackwardScene clean("shape=1x1x4x4x3 mask=causal");
  BackwardScene scene = clean;
  scene.inputs.value.view().set(0, 0, 3, 1, nan);
  const GradientTruth truth = scene.truth(), without = clean.truth();
  for (index row = 0; row < 4; ++row) {
    EXPECT_EQ(row_kind(truth.query, row), row == 3 ? Kind::not_a_number : Kind::finite);
    EXPECT_EQ(row_kind(truth.key, row), Kind::not_a_number);
    EXPECT_EQ(row_kind(truth.value, row), Kind::unbounded);
    for (index c = 0; c < 3; ++c) {
      const Certified &found = truth.value.at(0, 0, row, c), &right = without.value.at(0, 0, row, c);
      EXPECT_LE(std::abs(found.value - right.value), found.bound + right.bound) << row << " " << c;
    }
  }
}

TEST(SpecialGradients, NanGradientsOfOutReachTheirChannelOfV) {
  BackwardScene scene("shape=1x1x4x4x3 mask=causal");
  scene.inputs.dout->view().set(0, 0, 1, 2, nan);
  const GradientTruth truth = scene.truth();
  for (index key = 0; key < 4; ++key)
    for (index c = 0; c < 3; ++c)
      EXPECT_EQ(kind(truth.value.at(0, 0, key, c)), key > 1  ? Kind::finite
                                                    : c == 2 ? Kind::not_a_number
                                                             : Kind::unbounded);
  EXPECT_EQ(row_kind(truth.query, 1), Kind::not_a_number);
}

TEST(SpecialGradients, OfInfinitiesNothingIsKnown) {
  for (Tensor* (*choose)(Inputs&) : {+[](Inputs& in) { return &in.query; }, +[](Inputs& in) { return &in.key; },
                                     +[](Inputs& in) { return &in.value; }, +[](Inputs& in) { return &*in.dout; },
                                     +[](Inputs& in) { return &*in.bias; }}) {
    BackwardScene scene("shape=1x1x4x4x4 mask=window:0:0|causal&window:-1:0 score=bias:pair");
    set_all(*scene.inputs.bias, [](index, index) { return 0.5; });
    choose(scene.inputs)->view().set(0, 0, 3, 3, infinity);
    const GradientTruth truth = scene.truth();
    EXPECT_EQ(row_kind(truth.query, 3), Kind::unbounded);
    EXPECT_EQ(row_kind(truth.key, 0), Kind::unbounded);
    EXPECT_EQ(row_kind(truth.query, 2), Kind::finite);
  }
}

TEST(SpecialGradients, DroppedPairsMayBeSkipped) {
  BackwardScene scene("shape=1x1x30x3x2 dropout=0.5");
  scene.inputs.value.view().set(0, 0, 1, 0, nan);
  const GradientTruth truth = scene.truth();
  for (index row = 0; row < 30; ++row)
    EXPECT_EQ(row_kind(truth.query, row),
              Dropout(scene.problem).keeps({0, 0, row, 1}) ? Kind::not_a_number : Kind::unbounded);
}

}  // namespace
}  // namespace attestone
