// SPDX-License-Identifier: Apache-2.0
// One case as judges see it: everything that does not depend on the kernel, worked out once.
#pragma once

#include <map>
#include <optional>

#include "backends/kernel.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/rival_rules/rules/baseline.hpp"

namespace attestone::inline conformance {

/// Inputs, golden answers and baselines of one problem.
class JudgedCase {
 public:
  /// The problem with its own fill.
  explicit JudgedCase(const Problem&);
  /// The problem with these elements, as a judge's project draws them.
  JudgedCase(const Problem&, double (*element)(const Draw&, TensorName));

  /// Works out the baseline of the recipe, unless it is there.
  void add_baseline(const Recipe&);

  const Problem& problem() const { return problem_; }
  const Inputs& inputs() const { return inputs_; }

  /// True if the judge accepts this answer: each tensor that it looks at and that the answer has. Its baseline must
  /// have been added.
  bool accepted(const Judge&, const AnswerValues& got) const;

 private:
  JudgedCase(const Problem&, Inputs);

  Problem problem_;
  Inputs inputs_;
  AnswerValues golden_, rounded_;
  std::map<Recipe, AnswerValues> baselines_;
};

/// The kernel's answer, over outputs poisoned with NaN; nothing if it crashes, or its mesh does not hold.
std::optional<AnswerValues> answer_of(const Kernel&, const JudgedCase&);

}  // namespace attestone::inline conformance
