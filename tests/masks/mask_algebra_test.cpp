// SPDX-License-Identifier: Apache-2.0
// The algebra of masks, as laws: for any masks of any problem, what ~ & | make of them sees what logic says.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "conformance/integrations/rapidcheck.hpp"
#include "tests/rapidcheck_seed.hpp"

namespace attestone {
namespace {

/// The pairs of some 16 queries and 16 keys in every batch and head.
template <class Check>
void for_some_pairs(const Shape& shape, Check check) {
  const auto step = [](index extent) { return 1 + extent / 16; };
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index head = 0; head < shape.heads; ++head)
      for (index query = 0; query < shape.queries; query += step(shape.queries))
        for (index key = 0; key < shape.keys; key += step(shape.keys)) check(Pair{batch, head, query, key});
}

/// Both masks show each query of the problem the same keys.
void see_the_same(Problem problem, const Mask& one, const Mask& other) {
  Problem changed = problem;
  problem.mask = one, changed.mask = other;
  for_some_pairs(problem.shape, [&](const Pair& pair) {
    if (problem.visible(pair) != changed.visible(pair)) RC_FAIL(problem.text() + "\nis not\n" + changed.text());
  });
}

RC_GTEST_PROP(MaskAlgebra, CombinationsSeeWhatLogicSays, (const Problem& a, const Problem& b)) {
  RC_LOG() << a.mask.text() << " with " << b.mask.text();
  const Mask both = a.mask & b.mask, either = a.mask | b.mask, neither = ~a.mask;
  for_some_pairs(a.shape, [&](const Pair& pair) {
    const MaskPoint point{a.sequence(pair.batch), pair, a.seed};
    const bool in_a = a.mask.allows(point), in_b = b.mask.allows(point);
    RC_ASSERT(both.allows(point) == (in_a && in_b));
    RC_ASSERT(either.allows(point) == (in_a || in_b));
    RC_ASSERT(neither.allows(point) == !in_a);
  });
}

RC_GTEST_PROP(MaskAlgebra, IsIdempotent, (const Problem& a)) {
  see_the_same(a, a.mask & a.mask, a.mask);
  see_the_same(a, a.mask | a.mask, a.mask);
}

RC_GTEST_PROP(MaskAlgebra, ComplementsTwiceToItself, (const Problem& a)) { see_the_same(a, ~~a.mask, a.mask); }

RC_GTEST_PROP(MaskAlgebra, HasComplements, (const Problem& a)) {
  see_the_same(a, a.mask | ~a.mask, Mask());
  see_the_same(a, a.mask & ~a.mask, ~Mask());
}

RC_GTEST_PROP(MaskAlgebra, ObeysDeMorgan, (const Problem& a, const Problem& b)) {
  see_the_same(a, ~(a.mask & b.mask), ~a.mask | ~b.mask);
  see_the_same(a, ~(a.mask | b.mask), ~a.mask & ~b.mask);
}

RC_GTEST_PROP(MaskAlgebra, Distributes, (const Problem& a, const Problem& b, const Problem& c)) {
  see_the_same(a, a.mask & (b.mask | c.mask), (a.mask & b.mask) | (a.mask & c.mask));
  see_the_same(a, a.mask | (b.mask & c.mask), (a.mask | b.mask) & (a.mask | c.mask));
}

RC_GTEST_PROP(MaskAlgebra, DoesNotCareForOrder, (const Problem& a, const Problem& b, const Problem& c)) {
  see_the_same(a, a.mask & b.mask, b.mask & a.mask);
  see_the_same(a, a.mask | b.mask, b.mask | a.mask);
  see_the_same(a, a.mask & (b.mask & c.mask), (a.mask & b.mask) & c.mask);
  see_the_same(a, a.mask | (b.mask | c.mask), (a.mask | b.mask) | c.mask);
}

Mask mask_of(const std::string& text) { return parse_problem("shape=1x1x1x1x1 mask=" + text).mask; }

/// Parentheses, where they are not needed and where they are, mean what C++ means by the same expression.
RC_GTEST_PROP(MaskText, MeansWhatItsParenthesesSay, (const Problem& a, const Problem& b, const Problem& c)) {
  const std::string x = '(' + a.mask.text() + ')', y = '(' + b.mask.text() + ')', z = '(' + c.mask.text() + ')';
  RC_LOG() << x << ' ' << y << ' ' << z;
  RC_ASSERT(mask_of(x) == a.mask);
  RC_ASSERT(mask_of('~' + x) == ~a.mask);
  RC_ASSERT(mask_of('~' + x + '&' + y + '|' + z) == ((~a.mask & b.mask) | c.mask));
  RC_ASSERT(mask_of(x + '|' + y + "&~" + z) == (a.mask | (b.mask & ~c.mask)));
  RC_ASSERT(mask_of(x + "&(" + y + '|' + z + ')') == (a.mask & (b.mask | c.mask)));
  RC_ASSERT(mask_of("~(" + x + '|' + y + ')') == ~(a.mask | b.mask));
}

RC_GTEST_PROP(MaskText, OfAnyCombinationIsReadBack, (const Problem& a, const Problem& b)) {
  for (const Mask& mask :
       {~~a.mask, ~(a.mask | b.mask), (a.mask | b.mask) & ~(b.mask & a.mask), a.mask & (b.mask | a.mask)})
    RC_ASSERT(mask_of(mask.text()) == mask);
}

}  // namespace
}  // namespace attestone
