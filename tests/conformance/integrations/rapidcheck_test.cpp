// SPDX-License-Identifier: Apache-2.0
// Properties of problems as text, over rapidcheck's arbitrary problems; and how those shrink and are shown.
#include "conformance/integrations/rapidcheck.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>
#include <sstream>
#include <vector>

#include "tests/rapidcheck_seed.hpp"

namespace attestone {
namespace {

RC_GTEST_PROP(ProblemText, DeterminesTheProblem, (const Problem& problem)) {
  RC_ASSERT(parse_problem(problem.text()) == problem);
}

RC_GTEST_PROP(ProblemText, MayNameItsFieldsInAnyOrder, (const Problem& problem)) {
  std::istringstream text(problem.text());
  std::vector<std::string> fields{std::istream_iterator<std::string>(text), {}};
  std::ranges::shuffle(fields, std::mt19937_64(problem.seed));
  std::string shuffled;
  for (const std::string& field : fields) shuffled += field + ' ';
  RC_LOG() << shuffled;
  RC_ASSERT(parse_problem(shuffled).text() == problem.text());
}

/// A property that fails shows the user one line to paste.
TEST(ArbitraryProblem, IsShownAsTheLeastLineThatFails) {
  const auto result = rc::detail::checkTestable([](const Problem& problem) { RC_ASSERT(problem.shape.keys < 17); });
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  EXPECT_NE(message.str().find("\n('shape=1x1x1x17x1"), std::string::npos) << message.str();
}

}  // namespace
}  // namespace attestone
