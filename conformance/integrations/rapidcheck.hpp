// SPDX-License-Identifier: Apache-2.0
// Random problems for rapidcheck, installed as <attestone/rapidcheck.hpp>: a property that fails shows the least one.
#pragma once

#include <ostream>
#include <rapidcheck.h>

#include "conformance/problems/generate.hpp"
#include "conformance/verdict/shrink.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// How rapidcheck shows a counterexample: as the words of a command line that make it again.
inline void showValue(const Problem& problem, std::ostream& out) { out << '\'' << problem.text() << '\''; }

}  // namespace attestone::inline conformance

/// Problems as random_problem() draws them: small, of every registered word, each a pure function of rapidcheck's seed.
/// They shrink by smaller(), as those of `attestone run` do.
/// @cond Doxygen knows no namespace rc.
template <>
struct rc::Arbitrary<attestone::Problem> {
  static Gen<attestone::Problem> arbitrary() {
    return [](const Random& random, int) {
      return shrinkable::shrinkRecur(
          attestone::random_problem(Random(random).next(), 0),
          [](const attestone::Problem& problem) { return seq::fromContainer(attestone::smaller(problem)); });
    };
  }
};
/// @endcond
