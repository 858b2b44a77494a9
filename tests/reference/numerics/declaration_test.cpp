// SPDX-License-Identifier: Apache-2.0
// Declared arithmetic as text: what replaces what, mistakes that are pointed out, and that no field is forgotten.
#include "reference/numerics/declaration.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

#include "reference/numerics/declared_class.hpp"
#include "reference/numerics/fields.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

Numerics f32_class() { return default_numerics(dtype("f32"), dtype("f32")); }

std::string message_of(const std::string& text) {
  try {
    with_declared(Numerics{}, text, "it");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Declaration, ReplacesWhatItNames) {
  const Numerics before = f32_class();
  const Numerics after = with_declared(before, "weight_roundoff=0x1p-9  tile_keys=64 accumulator_truncates=yes", "it");
  EXPECT_EQ(after.weight.cast.roundoff, 0x1p-9);
  EXPECT_EQ(after.weight.tile_keys, 64);
  EXPECT_TRUE(after.value.accumulator.truncates);
  EXPECT_EQ(after.weight.exp_error, before.weight.exp_error);
  EXPECT_EQ(field_values(with_declared(before, " ", "it")), field_values(before));
}

TEST(Declaration, NamesEachStageByItself) {
  const Numerics n = with_declared(f32_class(), "merge.form=sigmoid merge.parts=4 weight.visits=rotated", "it");
  EXPECT_EQ(n.merge.form, MergeForm::sigmoid);
  EXPECT_EQ(n.merge.parts, 4);
  EXPECT_EQ(n.weight.visits, Visits::rotated);
  const Numerics sums = with_declared(f32_class(), "value.accumulator.roundoff=0x1p-11", "it");
  EXPECT_EQ(sums.value.accumulator.roundoff, 0x1p-11);
  EXPECT_EQ(sums.score.accumulator.roundoff, 0x1p-24);
}

TEST(Declaration, SaysOfWhatBitsAreIndependent) {
  const auto declared = [](const char* text) { return with_declared({}, text, "it").invariant; };
  EXPECT_EQ(declared("exp_error=0"), Invariance::none);
  EXPECT_EQ(declared("invariant=chunks+batch"), Invariance::batch | Invariance::chunks);
  EXPECT_EQ(declared("invariant=none"), Invariance::none);
  EXPECT_THROW(declared("invariant=batch invariant=none"), UserError);
  for (const InvarianceWord& word : invariance_words()) {
    EXPECT_EQ(invariance_of(word.name), word.invariance);
    EXPECT_EQ(text(word.invariance), word.name);
  }
}

/// The names of attestone 1, each for what it stood for then: the fields that say it now.
TEST(Declaration, OldNamesKeepTheirMeaning) {
  const std::set<std::string> old{"accumulator_roundoff",
                                  "accumulator_truncates",
                                  "accumulator_largest",
                                  "accumulator_underflow",
                                  "operand_roundoff",
                                  "prescale_roundoff",
                                  "prescale_underflow",
                                  "score_roundoff",
                                  "score_underflow",
                                  "score_largest",
                                  "exp_error",
                                  "log_error",
                                  "tanh_error",
                                  "weight_roundoff",
                                  "weight_underflow",
                                  "weight_smallest_normal",
                                  "denominator_sums_cast_weights",
                                  "weights_are_normalised",
                                  "tile_queries",
                                  "tile_keys",
                                  "fresh_accumulator_per_tile",
                                  "score_gradient_roundoff",
                                  "score_gradient_underflow",
                                  "score_gradient_largest",
                                  "delta_from_rounded_out",
                                  "output_roundoff",
                                  "output_underflow",
                                  "output_largest",
                                  "log_sum_exp_roundoff"};
  const std::vector<std::string> known = declarable_names();
  for (const std::string& name : old) EXPECT_TRUE(std::ranges::binary_search(known, name)) << name;
  Numerics n = with_declared(Numerics{}, "accumulator_roundoff=0.25 accumulator_underflow=0.5", "it");
  for_each_stage(n, [](const char* name, const Stage& stage) {
    EXPECT_EQ(stage.accumulator.roundoff, 0.25) << name;
    EXPECT_EQ(stage.accumulator.underflow, 0.5) << name;
  });
  n = with_declared(Numerics{}, "exp_error=0.125 log_error=0.25 operand_roundoff=0.5", "it");
  EXPECT_EQ(n.weight.exp_error, 0.125);
  EXPECT_EQ(n.merge.exp_error, 0.125);
  EXPECT_EQ(n.output.log_error, 0.25);
  EXPECT_EQ(n.score.operand_roundoff + n.value.operand_roundoff + n.gradient.operand_roundoff, 1.5);
}

TEST(Declaration, PointsAtMistakes) {
  for (const char* wrong : {"weight_roundof=1", "weight_roundoff", "weight_roundoff=", "weight_roundoff=x",
                            "exp_error=-1", "exp_error=nan", "exp_error=inf", "tile_keys=1.5", "tile_keys=1e30",
                            "accumulator_truncates=1", "merge.form=tree", "weight.visits=rotate", "invariant=",
                            "invariant=batch+", "invariant=batches", "invariant=none+batch", "merge.part=2", "=", "="})
    EXPECT_THROW(with_declared(Numerics{}, wrong, "it"), UserError) << wrong;
  EXPECT_EQ(message_of("exp_error=0 wieght_roundoff=1"),
            "it declares the numerics 'wieght_roundoff=1'\n"
            "  exp_error=0 wieght_roundoff=1\n"
            "              ^^^^^^^^^^^^^^^\n"
            "did you mean 'weight_roundoff'?");
  EXPECT_EQ(message_of("merge.form=sigmod"),
            "it declares the numerics 'merge.form=sigmod'\n"
            "  merge.form=sigmod\n"
            "             ^^^^^^\n"
            "did you mean 'sigmoid'?");
  EXPECT_EQ(message_of("invariant=batch+chunk"),
            "it declares the numerics 'invariant=batch+chunk'\n"
            "  invariant=batch+chunk\n"
            "            ^^^^^^^^^^^\n"
            "words with + between them: batch, heads, chunks, padding, hidden_keys; or none");
}

/// Another value for every field comes back from its declaration.
TEST(Declaration, SaysEveryField) {
  const Numerics from = f32_class();
  for (const auto& [name, value] : field_values(from)) {
    std::string other = value == "yes" ? "no" : value == "no" ? "yes" : "3";
    if (name == "merge.form") other = "sigmoid";
    if (name == "invariant") other = "batch+hidden_keys";
    if (name.ends_with("visits")) other = "any";
    if (name.ends_with("rule")) other = "nvfp4";
    if (name.ends_with("sharing")) other = "key_thread";
    if (name.ends_with("centring")) other = "in_f32";
    const Numerics to = with_declared(from, name + "=" + other, "it");
    EXPECT_NE(field_values(to), field_values(from)) << name;
    EXPECT_EQ(field_values(with_declared(from, declaration(from, to), "it")), field_values(to)) << name;
  }
  EXPECT_EQ(declaration(from, from), "");
  EXPECT_EQ(declaration(from, with_declared(from, "accumulator_roundoff=0.5 weight_roundoff=0.25", "it")),
            "accumulator_roundoff=0.5 weight_roundoff=0.25");
  EXPECT_EQ(declaration(from, with_declared(from, "value.accumulator.roundoff=0.5", "it")),
            "value.accumulator.roundoff=0.5");
}

/// A field that is added to a stage and forgotten in the table could not be declared: all bytes but the casts' range
/// and normal range that nobody reads, and padding, are reached.
TEST(Declaration, ReachesEveryNumber) {
  std::size_t reached = 0;
  Numerics n;
  for_each_field([&](const std::string&, const auto& member, Looser) { reached += sizeof(member(n)); });
  // Of prescale, of weights in dS and of products with a mean of Q; of stored, products with a mean, weight, merge, dP,
  // dS, parts of gradients, output.
  const std::size_t unread = (2 + 2 + 2 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1) * sizeof(double);
  std::size_t padding = 0;
  for_each_stage(n, [&](const char*, const Stage&) { padding += sizeof(double) - sizeof(bool); });
  padding += sizeof(WeightStage) - sizeof(Stage) - sizeof(double) - sizeof(Cast) - 2 * sizeof(bool) -
             2 * sizeof(double) - sizeof(BoundedMaximum) - sizeof(BlockCast) - sizeof(Visits) - sizeof(index);
  padding += sizeof(ScoreStage) - sizeof(Stage) - sizeof(RowCast) - 4 * sizeof(Cast) - 3 * sizeof(double) -
             2 * sizeof(OperandCodes) - 2 * sizeof(bool);
  padding += sizeof(ValueStage) - sizeof(Stage) - sizeof(RowCast) - 2 * sizeof(double) - 2 * sizeof(bool) -
             sizeof(index) - sizeof(OperandCodes);
  padding += 3 * (sizeof(OperandCodes) - sizeof(CodeRule) - sizeof(ScaleSharing) - 4 * sizeof(index) -
                  sizeof(Centring) - 3 * sizeof(double) - 2 * sizeof(bool));
  padding += sizeof(MergeStage) - sizeof(Stage) - sizeof(MergeForm) - 2 * sizeof(index) - sizeof(Cast) -
             3 * sizeof(double) - sizeof(Visits);
  padding +=
      sizeof(GradientStage) - sizeof(Stage) - sizeof(double) - 4 * sizeof(Cast) - sizeof(bool) - 2 * sizeof(index);
  EXPECT_EQ(reached + unread + padding, sizeof(Numerics));
}

TEST(Declaration, LoosensWhatItAllowsMoreOf) {
  const Numerics own = default_numerics(dtype("f32"), dtype("f32"));
  const auto loosens = [&](const char* text) { return only_loosens(own, with_declared(own, text, "test")); };
  EXPECT_FALSE(loosens(""));
  EXPECT_TRUE(loosens("score_roundoff=0x1p-11"));
  EXPECT_TRUE(loosens("score_largest=65504"));
  EXPECT_TRUE(loosens("weights_are_normalised=yes"));  // neither looser nor tighter
  EXPECT_FALSE(loosens("exp_error=0"));
  EXPECT_FALSE(loosens("score_roundoff=0x1p-11 exp_error=0"));
}

}  // namespace
}  // namespace attestone
