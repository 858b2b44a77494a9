// SPDX-License-Identifier: Apache-2.0
// A kernel's answer to one problem, to be held against variants.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "conformance/diagnosis/variant.hpp"
#include "conformance/trial/trial.hpp"

namespace attestone::inline conformance {

/// One tensor of the answer beside the truth, and how far any element may be off.
struct Observed {
  std::vector<double> got, truth;
  double allowed = 0;
  bool unbounded = false;  ///< an element has no bound
  /// The next element of the truth; what was got is multiplied by `unit` first.
  void expect(const Certified& right, double by_the_rules, double unit = 1);
  void allow(double bound);
};

/// A kernel that is run once on one problem, and whose answer is compared as often as is asked.
class Answered {
 public:
  Answered(const Kernel&, const Problem&);
  Answered(const Answered&) = delete;
  Answered& operator=(const Answered&) = delete;

  const Problem& problem() const { return problem_; }
  /// Which answer is wrong; nothing if all are right.
  const std::optional<Variant::Pass>& wrong() const { return pass_; }

  /// The distance, in the mean square, from a variant that explains this pass's answer: no element is farther from it
  /// than rounding may carry the right one, and all together are far nearer to it than to the truth. Nothing from one
  /// that does not.
  std::optional<double> explained_by(const Variant&);
  /// True if the variant might have given the answer, be it the right one. An element that is not finite, or has no
  /// bound, refutes nothing.
  bool allows(const Variant&);

 private:
  const std::vector<Observed>& observed(Variant::Pass);
  std::vector<std::vector<double>> answer_of_variant(const Variant&);

  const Problem problem_;
  Trial trial_;
  std::optional<Variant::Pass> pass_;
  std::map<Variant::Pass, std::vector<Observed>> observed_;
};

}  // namespace attestone::inline conformance
