// SPDX-License-Identifier: Apache-2.0
// NaN and infinities in the backward pass: invisible ones never matter; visible ones give NaN, or leave nothing known.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "reference/call/dropout.hpp"
#include "reference/certified/backward/gradient_truth.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"

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

/// Knowledge of an element: a number, a number unless it is NaN, NaN, that it is not finite, nothing.
enum class Kind { finite, finite_or_nan, not_a_number, not_finite, unbounded };
Kind kind(const Certified& x) {
  if (x.non_finite == NonFinite::demanded) return Kind::not_finite;
  if (std::isnan(x.value)) return x.decided && x.bound == 0 ? Kind::not_a_number : Kind::unbounded;
  if (x.bound == infinity) return Kind::unbounded;
  return x.non_finite == NonFinite::wrong ? Kind::finite : Kind::finite_or_nan;
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

/// Query 2 sees keys 0 to 2, its NaN reaches those; what other rows send to them is lost, too. What is hidden from it
/// has P = 0, which may be multiplied by NaN.
TEST(SpecialGradients, NanScoresReachAllThatTheRowSees) {
  BackwardScene scene("shape=1x1x4x4x3 mask=causal score=bias:pair&sink:head");
  set_all(*scene.inputs.bias, [](index, index) { return 0.5; });
  scene.inputs.sink->view().set(0, 0, 0, 0, 0.5);
  scene.inputs.query.view().set(0, 0, 2, 1, nan);
  const GradientTruth truth = scene.truth();
  for (index row = 0; row < 4; ++row) {
    EXPECT_EQ(row_kind(truth.query, row), row == 2 ? Kind::not_a_number : Kind::finite);
    EXPECT_EQ(row_kind(truth.key, row), row <= 2 ? Kind::not_a_number : Kind::finite_or_nan);
    EXPECT_EQ(row_kind(truth.value, row), row <= 2 ? Kind::not_a_number : Kind::finite_or_nan);
    EXPECT_EQ(kind(truth.bias->at(0, 0, 2, row)), row <= 2 ? Kind::not_a_number : Kind::finite_or_nan);
    EXPECT_EQ(kind(truth.bias->at(0, 0, 3, row)), Kind::finite);
  }
  EXPECT_EQ(kind(truth.sink->at(0, 0, 0, 0)), Kind::not_a_number);
}

/// Nothing is claimed of a gradient of V to which rows with a NaN in V, or in another channel of dO, contribute.
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
      EXPECT_EQ(kind(truth.value.at(0, 0, key, c)), key > 1  ? Kind::finite_or_nan
                                                    : c == 2 ? Kind::not_a_number
                                                             : Kind::unbounded);
  EXPECT_EQ(row_kind(truth.query, 1), Kind::not_a_number);
}

/// dP of the key, and delta, are infinite: their difference is NaN, and that of every other key infinite.
TEST(SpecialGradients, InfiniteValuesLeaveNothingFinite) {
  BackwardScene scene("shape=1x1x4x4x4 mask=causal");
  set_all(*scene.inputs.dout, [](index, index) { return 1.0; });
  scene.inputs.value.view().set(0, 0, 3, 3, infinity);
  const GradientTruth truth = scene.truth();
  EXPECT_EQ(row_kind(truth.query, 3), Kind::not_a_number);
  EXPECT_EQ(row_kind(truth.query, 2), Kind::finite);
  EXPECT_EQ(row_kind(truth.key, 3), Kind::not_a_number);
  EXPECT_EQ(row_kind(truth.key, 0), Kind::not_finite);
  EXPECT_EQ(row_kind(truth.value, 0), Kind::unbounded);
}

/// The score of key 2 is -inf: what it sends is nothing if it is skipped, NaN if it is multiplied through.
TEST(SpecialGradients, PairsOfScoreMinusInfinityMayBeSkipped) {
  BackwardScene scene("shape=1x1x1x4x1");
  set_all(scene.inputs.query, [](index, index) { return 1.0; });
  set_all(scene.inputs.key, [](index key, index) { return key == 2 ? -infinity : 0.5; });
  set_all(scene.inputs.value, [](index key, index) { return key == 3 ? nan : 1.0; });
  const GradientTruth truth = scene.truth();
  EXPECT_EQ(row_kind(truth.key, 2), Kind::finite_or_nan);
  EXPECT_EQ(truth.key.at(0, 0, 2, 0).value, 0);
  for (const index key : {0, 1, 3}) EXPECT_EQ(row_kind(truth.key, key), Kind::not_a_number) << key;
  EXPECT_EQ(row_kind(truth.query, 0), Kind::not_a_number);
}

/// Softcap has no slope at infinite scores, so that only hidden pairs can send NaN. Behind a ragged sequence there are
/// none, in a padded batch there are.
TEST(SpecialGradients, NothingIsHiddenBehindARaggedSequence) {
  for (const char* layout : {"", " layout=ragged"}) {
    const Problem problem =
        parse_problem(std::string("shape=1x1x3x9x2 lengths=2 score=softcap:5 pass=forward+backward") + layout);
    Inputs inputs(problem);
    for (Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value, &*inputs.dout})
      for (index row = 0; row < tensor->view().rows(0); ++row)
        for (index c = 0; c < 2; ++c) tensor->view().set(0, 0, row, c, 0.5);
    inputs.query.view().set(0, 0, 2, 0, -infinity);
    const CertifiedTensor query = certify_backward(problem, inputs).query;
    EXPECT_EQ(row_kind(query, 2), *layout ? Kind::finite : Kind::finite_or_nan);
    EXPECT_EQ(query.at(0, 0, 2, 0).value, 0);
  }
}

/// The weight of key 0 is e^-200: NaN behind it reaches nothing if the pair is skipped.
TEST(SpecialGradients, PairsWhoseWeightVanishesMayBeSkipped) {
  BackwardScene scene("shape=1x1x1x3x1");
  set_all(scene.inputs.query, [](index, index) { return 1.0; });
  set_all(scene.inputs.key, [](index key, index) { return key == 0 ? -200.0 : 0.5; });
  set_all(scene.inputs.value, [](index key, index) { return key == 0 ? nan : 1.0; });
  const GradientTruth truth = scene.truth();
  EXPECT_EQ(row_kind(truth.key, 0), Kind::finite_or_nan);
  EXPECT_EQ(row_kind(truth.key, 1), Kind::unbounded);
  scene.inputs.key.view().set(0, 0, 0, 0, -20.0);
  EXPECT_EQ(row_kind(scene.truth().key, 1), Kind::not_a_number);
}

TEST(SpecialGradients, NothingIsCertainWhereScoresMayOverflow) {
  BackwardScene scene("shape=1x1x1x2x1");
  set_all(scene.inputs.key, [](index key, index) { return key == 0 ? 1e4 : 1.0; });
  set_all(scene.inputs.query, [](index, index) { return 10.0; });
  scene.inputs.value.view().set(0, 0, 0, 0, nan);
  EXPECT_EQ(row_kind(scene.truth().key, 0), Kind::unbounded);
}

TEST(SpecialGradients, RowsWithoutAGradientMayBeLeftOut) {
  BackwardScene scene("shape=1x1x2x3x1");
  scene.inputs.query.view().set(0, 0, 1, 0, nan);
  EXPECT_EQ(row_kind(scene.truth().value, 0), Kind::not_a_number);
  scene.inputs.dout->view().set(0, 0, 1, 0, 0);
  EXPECT_EQ(row_kind(scene.truth().value, 0), Kind::finite_or_nan);
}

/// Its weights are 0 and dO is NaN: nothing is read, or 0 times NaN is added. Behind its sequence nothing is.
TEST(SpecialGradients, NanInDoOfEmptyRows) {
  BackwardScene scene("shape=1x1x4x2x1 mask=causal query_lengths=3");
  for (const index query : {0, 3}) scene.inputs.dout->view().set(0, 0, query, 0, nan);
  const GradientTruth truth = scene.truth();
  EXPECT_EQ(row_kind(truth.query, 0), Kind::finite_or_nan);
  EXPECT_EQ(row_kind(truth.query, 3), Kind::finite);
  EXPECT_EQ(row_kind(truth.value, 1), Kind::finite_or_nan);
}

TEST(SpecialGradients, DroppedPairsMayBeSkipped) {
  BackwardScene scene("shape=1x1x30x3x2 dropout=0.5");
  scene.inputs.value.view().set(0, 0, 1, 0, nan);
  const GradientTruth truth = scene.truth();
  const Dropout dropout(scene.problem);
  for (index row = 0; row < 30; ++row) {
    const bool any = dropout.keeps({0, 0, row, 0}) || dropout.keeps({0, 0, row, 2});
    EXPECT_EQ(row_kind(truth.query, row), dropout.keeps({0, 0, row, 1}) ? Kind::not_a_number
                                          : any                         ? Kind::unbounded
                                                                        : Kind::finite_or_nan);
  }
}

}  // namespace
}  // namespace attestone
