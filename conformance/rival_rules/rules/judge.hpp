// SPDX-License-Identifier: Apache-2.0
// Judges: the acceptance rules of other projects, to see what each would have let through.
#pragma once

#include <string_view>
#include <vector>

#include "conformance/rival_rules/rules/recipe.hpp"
#include "reference/call/tensors.hpp"
#include "reference/problem/problem.hpp"
#include "reference/random/random.hpp"

namespace attestone::inline conformance {

/// The exhibit of a rule: one tensor of one case, elements in the order batch, head, row, channel.
struct Exhibit {
  const Problem& problem;
  TensorName tensor;
  const std::vector<double>& got;
  const std::vector<double>& golden;    ///< certified: the doubles nearest to the real-number answer
  const std::vector<double>& rounded;   ///< golden, rounded to the format of the tensor
  const std::vector<double>& baseline;  ///< by the recipe of the judge

  /// The format of the tensor.
  const DType& dtype() const { return format_of(problem, tensor); }
};

/// A named acceptance rule with the inputs on which its project applies it: one file in
/// conformance/rival_rules/rules/.
struct Judge {
  std::string_view name;
  std::string_view rule;             ///< in one line; x is the kernel's, g the golden answer, b the baseline
  std::string_view source;           ///< project and file in which the rule stands
  std::vector<TensorName> looks_at;  ///< of out, log_sum_exp and the gradients
  Recipe baseline = {};
  std::string_view usual;   ///< problems as its project tests them, one line each, commas multiply
  std::string_view scaled;  ///< how `usual` differs from what the project runs
  /// Elements of the usual inputs, where no fill draws them as the project does.
  double (*element)(const Draw&, TensorName) = nullptr;
  bool (*accepts)(const Exhibit&);
};

}  // namespace attestone::inline conformance
