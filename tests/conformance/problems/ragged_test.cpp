// SPDX-License-Identifier: Apache-2.0
// What the judge fills, certifies and bounds of a ragged batch is what it says of the padded one.
#include <gtest/gtest.h>

#include "conformance/problems/fill.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/error_bound/forward/forward_bound.hpp"
#include "tests/random_call.hpp"

namespace attestone {
namespace {

constexpr const char* shapes[]{
    "shape=3x4/2x5x9x6:3 lengths=9+0+2 query_lengths=0+5+3 mask=causal score=softcap:3&alibi dtype=bf16",
    "shape=2x2x7x4x5 lengths=1+4 score=bias:head fill=uniform", "shape=2x2x3x4x5 query_lengths=3+1 fill=outliers"};

/// Calls check(padded, ragged) for the same problem in both layouts.
template <class Check>
void for_each_pair(Check check) {
  for (const char* text : shapes) {
    const Problem padded = parse_problem(text);
    Problem ragged = padded;
    ragged.layout = "ragged";
    check(padded, ragged);
  }
}

TEST(Ragged, FillsHoldTheSameNumbers) {
  for_each_pair([](const Problem& padded, const Problem& ragged) {
    const Inputs want = filled(padded), got = filled(ragged);
    for (const auto tensor : {&Inputs::query, &Inputs::key, &Inputs::value}) {
      const ConstView view = (got.*tensor).view();
      EXPECT_TRUE((got.*tensor).guards_intact());
      index elements = 0;
      for_each_element(view, [&](index b, index h, index r, index c) {
        ++elements;
        EXPECT_EQ(view.code(b, h, r, c), (want.*tensor).view().code(b, h, r, c)) << ragged.text();
      });
      EXPECT_EQ(static_cast<std::size_t>(view.dtype().bytes(elements)), (got.*tensor).bytes().size());
    }
  });
}

TEST(Ragged, TheTruthIsTheSame) {
  for_each_pair([](const Problem& padded, const Problem& ragged) {
    const Truth want = certify_forward(padded, filled(padded)), got = certify_forward(ragged, filled(ragged));
    const Shape& s = padded.shape;
    const auto expect_same = [&](const Certified& a, const Certified& b) {
      EXPECT_EQ(a.value, b.value) << ragged.text();
      EXPECT_EQ(a.bound, b.bound) << ragged.text();
    };
    for_each_element({s.batch, s.heads, s.queries, s.value_dim}, [&](index b, index h, index i, index c) {
      expect_same(got.out(b, h, i, c), want.out(b, h, i, c));
      expect_same(got.log_sum_exp(b, h, i), want.log_sum_exp(b, h, i));
    });
  });
}

TEST(Ragged, TheBoundsAreTheSame) {
  for_each_pair([](const Problem& padded, const Problem& ragged) {
    const Inputs of_padded = filled(padded), of_ragged = filled(ragged);
    const Numerics numerics = default_numerics(padded.input, padded.output);
    const ForwardBound want(padded, of_padded, numerics), got(ragged, of_ragged, numerics);
    const Shape& s = padded.shape;
    for_each_element({s.batch, s.heads, s.queries, s.value_dim}, [&](index b, index h, index i, index c) {
      if (i >= padded.sequence(b).queries) return;
      EXPECT_EQ(got.row(b, h, i)->out(c), want.row(b, h, i)->out(c)) << ragged.text();
      EXPECT_EQ(got.row(b, h, i)->log_sum_exp(), want.row(b, h, i)->log_sum_exp()) << ragged.text();
    });
  });
}

}  // namespace
}  // namespace attestone
