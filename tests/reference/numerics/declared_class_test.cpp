// SPDX-License-Identifier: Apache-2.0
// What is looser than a default class, and what is not.
#include "reference/numerics/declared_class.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "reference/numerics/declaration.hpp"
#include "reference/numerics/fields.hpp"

namespace attestone {
namespace {

/// "output_roundoff 0.4 for 0.1"
using Fields = std::vector<std::string>;

Fields texts(const std::vector<LooserField>& fields) {
  Fields all;
  for (const LooserField& field : fields) all.push_back(field.name + " " + field.declared + " for " + field.allowed);
  return all;
}

const DType& f32() { return dtype("f32"); }

Fields looser_than_f32(const std::string& declared) {
  return texts(looser_fields(with_declared(default_numerics(f32(), f32()), declared, "it"), f32(), f32()));
}

TEST(DeclaredClass, TheDefaultIsNotLooserThanItself) {
  for (const std::string name : {"f64", "f32", "f16", "bf16", "e4m3", "e5m2"}) {
    const DType& format = dtype(name);
    const Numerics numerics = default_numerics(format, format);
    EXPECT_EQ(texts(looser_fields(numerics, format, format)), Fields{}) << name;
    EXPECT_EQ(class_name(numerics, format, format), default_class_name(format));
  }
}

TEST(DeclaredClass, NamesWhatIsLooser) {
  EXPECT_EQ(looser_than_f32("output_roundoff=0.4"), (Fields{"output_roundoff 0.4 for 5.960464477539063e-08"}));
  EXPECT_EQ(looser_than_f32("accumulator_truncates=yes"), (Fields{"accumulator_truncates yes for no"}));
  EXPECT_EQ(looser_than_f32("value.accumulator.roundoff=0.5"),
            (Fields{"value.accumulator.roundoff 0.5 for 5.960464477539063e-08"}));
  EXPECT_EQ(looser_than_f32("merge.form=sigmoid merge.parts=4"),
            (Fields{"merge.form sigmoid for none", "merge.parts 4 for 1"}));
  EXPECT_EQ(looser_than_f32("accumulator_largest=65504").size(), 1u);
  EXPECT_EQ(looser_than_f32("weight.visits=any").size(), 1u);
  const Numerics loose = with_declared(default_numerics(f32(), f32()), "exp_error=0.5", "it");
  EXPECT_EQ(class_name(loose, f32(), f32()), "looser than fp32");
}

TEST(DeclaredClass, WhatIsBetterOrJustOtherIsNotLooser) {
  for (const std::string declared :
       {"output_roundoff=0", "accumulator_roundoff=0x1p-53", "tile_keys=64", "weights_are_normalised=yes",
        "delta_from_rounded_out=no", "fresh_accumulator_per_tile=yes", "weight.visits=ascending", "tile_queries=16"})
    EXPECT_EQ(looser_than_f32(declared), Fields{}) << declared;
}

/// The class of a format follows from its numbers: that of bf16 is looser than those of f16 and f32, and that of f32 is
/// not looser than that of bf16.
TEST(DeclaredClass, FollowsTheFormats) {
  const DType &bf16 = dtype("bf16"), &f16 = dtype("f16");
  const Numerics of_bf16 = default_numerics(bf16, bf16);
  EXPECT_FALSE(looser_fields(of_bf16, f16, f16).empty());
  EXPECT_FALSE(looser_fields(of_bf16, f32(), f32()).empty());
  EXPECT_EQ(texts(looser_fields(default_numerics(f32(), f32()), bf16, bf16)), Fields{});
}

/// Every field that has a direction is seen when it is the only one that changes.
TEST(DeclaredClass, SeesEveryField) {
  const Numerics numerics = default_numerics(f32(), f32());
  for_each_field([&](const std::string& name, const auto& member, Looser looser) {
    if (looser == Looser::neither) return;
    using Value = std::remove_cvref_t<decltype(member(numerics))>;
    Numerics changed = numerics;
    const double now = static_cast<double>(member(numerics));
    if (looser == Looser::larger && std::is_same_v<Value, bool> && now == 1) return;  // as loose as can be
    if (looser == Looser::smaller && now == 0) return;
    member(changed) = static_cast<Value>(looser == Looser::larger ? now + 1 : now / 2);
    EXPECT_EQ(looser_fields(changed, f32(), f32()).size(), 1u) << name;
  });
}

TEST(DeclaredClass, CastsSayHowTheyUnderflow) {
  EXPECT_EQ(gradual_cast(dtype("f16")).underflow, 0x1p-25);
  EXPECT_EQ(flushing_cast(dtype("bf16")).underflow, 0x1p-126);
  EXPECT_EQ(gradual_cast(dtype("bf16")).roundoff, 0x1p-8);
}

}  // namespace
}  // namespace attestone
