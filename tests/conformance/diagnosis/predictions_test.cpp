// SPDX-License-Identifier: Apache-2.0
// A kind of fault is refuted by each of its predictions alone.
#include <algorithm>
#include <gtest/gtest.h>

#include "conformance/diagnosis/kinds/kind.hpp"
#include "conformance/diagnosis/kinds/other_inputs.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

using Form = Condition::Form;

const Variable* variable(std::string_view name) {
  for (const Variable& each : variables())
    if (each.name == name) return &each;
  return nullptr;
}

/// A kernel of one kind: the calls that it fails, and what is known of it before.
struct KindCase {
  std::string_view kind;
  const char *base, *least;
  std::vector<Condition> conditions;
  bool (*fails)(const FurtherCall&);  ///< null: a call fails unless it is the first of a process
};

bool sees_first_keys(const Problem& p) {
  for (index query = 0; query < p.shape.queries; ++query) {
    bool sees = false;
    for (index key = 0; key < std::min<index>(16, p.shape.keys); ++key) sees = sees || p.visible({0, 0, query, key});
    if (!sees) return false;
  }
  return true;
}

/// The score that channel 0 alone gives the first pair.
double level_of(const FurtherCall& call) {
  if (!call.inputs) return 0;
  return call.problem.scale() * call.inputs->query.view().value(0, 0, 0, 0) * call.inputs->key.view().value(0, 0, 0, 0);
}

const std::vector<KindCase>& cases() {
  static const std::vector<KindCase> all{
      {"tail_of_last_tile",
       "shape=1x1x8x100x8",
       "shape=1x1x1x33x1",
       {{variable("keys"), Form::no_multiple, 32}},
       [](const FurtherCall& c) { return c.problem.shape.keys % 32 != 0; }},
      {"first_tile_hidden",
       "shape=1x1x64x64x8 mask=window:8:0",
       "shape=1x1x1x33x1 mask=window:8:0",
       {},
       [](const FurtherCall& c) { return !sees_first_keys(c.problem); }},
      {"merge_of_splits",
       "shape=1x1x8x100x8",
       "shape=1x1x1x65x1",
       {{variable("keys"), Form::above, 64}},
       [](const FurtherCall& c) { return c.problem.shape.keys > 64 && c.problem.mask.is_full(); }},
      {"rescaling_of_running_sum",
       "shape=1x1x8x100x8",
       "shape=1x1x1x65x1",
       {{variable("keys"), Form::above, 64}},
       [](const FurtherCall& c) { return c.problem.shape.keys > 64 && c.problem.fill.name != "ties"; }},
      {"head_mapping",
       "shape=1x4/2x8x8x8",
       "shape=1x2x1x2x1",
       {},
       [](const FurtherCall& c) { return c.problem.shape.heads > 1 && !c.inputs; }},
      {"batch_offset",
       "shape=3x4/2x8x8x8",
       "shape=2x1x1x2x1",
       {},
       [](const FurtherCall& c) { return c.problem.shape.batch > 1 && !c.inputs; }},
      {"stride",
       "shape=2x2x8x8x8 layout=bshd",
       "shape=1x2x1x1x1 layout=bshd",
       {},
       [](const FurtherCall& c) { return c.problem.layout == "bshd"; }},
      {"race",
       "shape=2x2x8x8x8 pass=forward+backward deterministic=0",
       "shape=1x1x1x1x1",
       {},
       [](const FurtherCall& c) { return c.threads != 1; }},
      {"state_between_calls", "shape=2x2x8x8x8", "shape=1x1x1x1x1", {}, [](const FurtherCall& c) { return !c.fresh; }},
      {"uninitialised_memory", "shape=2x2x8x8x8", "shape=1x1x1x1x1", {}, [](const FurtherCall&) { return true; }},
      {"overflow_of_format",
       "shape=2x2x8x8x8 dtype=f16",
       "shape=1x1x1x1x1 dtype=f16",
       {},
       [](const FurtherCall& c) { return !c.inputs; }},
      {"initial_maximum",
       "shape=2x2x8x8x8 fill=cold",
       "shape=1x1x1x1x1 fill=cold",
       {},
       [](const FurtherCall& c) { return level_of(c) < -100; }},
      {"padding_of_channels",
       "shape=2x2x8x8x8:16",
       "shape=1x1x1x1x1:2",
       {{variable("value_dim"), Form::more_than_other, 0, variable("dim")}},
       [](const FurtherCall& c) { return !c.inputs; }},
  };
  return all;
}

TEST(Predictions, RefuteAKindEachByItself) {
  std::size_t kinds = 0;
  for (const KindCase& each : cases()) {
    const KindOfFault* kind = Registry<KindOfFault>::find(each.kind);
    ASSERT_TRUE(kind) << each.kind;
    ++kinds;
    const Problem least = parse_problem(each.least);
    const FailureFacts evidence{parse_problem(each.base), least, Verdict::failed("wrong-non-finite", ""),
                                features_beside_extents(least), each.conditions};
    const auto ask = [&](bool contrary) {
      return [&each, contrary](const FurtherCall& call) {
        const bool fails = each.fails(call) != contrary;
        return Heard{.verdict = fails ? Verdict::failed("wrong-number", "") : Verdict::passed(),
                     .bits_change = (call.repeated && call.threads != 1) != contrary,
                     .unwritten = call.over_two_poisons && !contrary ? 1 : 0};
      };
    };
    Inquiry truthful(ask(false), "wrong-number"), contrary(ask(true), "wrong-number");
    const auto alternatives = kind->predictions(evidence);
    ASSERT_FALSE(alternatives.empty()) << each.kind;
    for (const auto& predictions : alternatives) {
      ASSERT_GE(predictions.size(), 2u) << each.kind;
      for (const Prediction& prediction : predictions) {
        EXPECT_TRUE(comes_true(truthful, prediction)) << each.kind << " " << prediction.call.problem.text();
        EXPECT_FALSE(comes_true(contrary, prediction)) << each.kind << " " << prediction.call.problem.text();
      }
    }
  }
  EXPECT_EQ(kinds, Registry<KindOfFault>::all().size());
}

/// Other inputs are what they are called.
TEST(OtherInputs, AreAlikeWhereTheySaySo) {
  const Problem problem =
      parse_problem("shape=2x4/2x3x5x8:4 score=sink:head&bias:full dtype=bf16 pass=forward+backward");
  const SharedInputs heads = heads_alike(problem), sequences = sequences_alike(problem, 0);
  EXPECT_EQ(heads->query.view().code(1, 3, 2, 5), heads->query.view().code(1, 0, 2, 5));
  EXPECT_EQ(heads->sink->view().code(0, 3, 0, 0), heads->sink->view().code(0, 0, 0, 0));
  EXPECT_NE(heads->value.view().code(0, 1, 2, 3), heads->value.view().code(1, 1, 2, 3));
  EXPECT_EQ(sequences->value.view().code(1, 1, 4, 3), sequences->value.view().code(0, 1, 4, 3));
  EXPECT_NE(sequences->value.view().code(1, 1, 4, 3), sequences->value.view().code(1, 0, 4, 3));
  const SharedInputs cleared = channels_cleared(problem, 2, false);
  EXPECT_EQ(cleared->value.view().value(1, 1, 4, 2), 0);
  EXPECT_EQ(cleared->dout->view().value(1, 3, 2, 3), 0);
  EXPECT_NE(cleared->value.view().value(1, 1, 4, 1), 0);
  EXPECT_NE(cleared->key.view().value(1, 1, 4, 3), 0);
  const SharedInputs raised = scores_raised_by(problem, -200);
  EXPECT_NEAR(problem.scale() * raised->query.view().value(1, 3, 2, 0) * raised->key.view().value(1, 1, 4, 0), -200, 1);
  EXPECT_EQ(sequences_alike(parse_problem("shape=2x1x3x5x8 lengths=2+5"), 0), nullptr);
}

}  // namespace
}  // namespace attestone
