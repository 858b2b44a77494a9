// SPDX-License-Identifier: Apache-2.0
// The certified forward pass: double tiles first, then whatever their bound leaves open.
#include <algorithm>
#include <functional>
#include <numeric>

#include "reference/certified/head_pass.hpp"
#include "reference/certified/truth.hpp"
#include "reference/require.hpp"

namespace attestone {
namespace {

std::vector<index> chosen_queries(const Problem& problem, const CertifyOptions& options) {
  std::vector<index> queries;
  if (options.queries) {
    queries = *options.queries;
    require(std::adjacent_find(queries.begin(), queries.end(), std::greater_equal<index>()) == queries.end(),
            "the chosen queries ascend");
    require(queries.empty() || (queries.front() >= 0 && queries.back() < problem.shape.queries),
            "the chosen queries are rows of the problem");
  } else {
    queries.resize(static_cast<std::size_t>(problem.shape.queries));
    std::iota(queries.begin(), queries.end(), index{0});
  }
  return queries;
}

}  // namespace

Truth certify_forward(const Problem& problem, const Inputs& inputs, const CertifyOptions& options) {
  require(problem.dropout == 0, "dropout is not certified");
  Truth truth(problem, chosen_queries(problem, options));
  const auto rows = static_cast<index>(truth.queries().size());
  for (index batch = 0; batch < problem.shape.batch && rows > 0; ++batch) {
    const Visibility visibility(problem, batch, truth.queries());
    for (index kv_head = 0; kv_head < problem.shape.kv_heads; ++kv_head)
      certify_head(problem, inputs, batch, kv_head, visibility, options.escalate, truth);
  }
  Decisions& d = truth.decisions;
  const index elements = problem.shape.batch * problem.shape.heads * rows * (problem.shape.value_dim + 1);
  d.in_double = elements - d.in_double_double - d.in_mpfr - d.undecided;
  return truth;
}

}  // namespace attestone
