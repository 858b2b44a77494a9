// SPDX-License-Identifier: Apache-2.0
// Kinds of fault: each says what further calls must answer if it is this one, before they are made.
#pragma once

#include <string_view>
#include <vector>

#include "conformance/diagnosis/circumstances/conditions.hpp"
#include "conformance/diagnosis/circumstances/features.hpp"
#include "conformance/diagnosis/circumstances/inquiry.hpp"

namespace attestone::inline conformance {

/// The facts about a failure when kinds of fault are considered.
struct FailureFacts {
  Problem base;                          ///< fails, with room around it
  Problem least;                         ///< the least that fails alike
  Verdict verdict;                       ///< on the base
  std::vector<ProblemFeature> features;  ///< without each of which it passes
  std::vector<Condition> conditions;     ///< where one does not hold it passes

  bool has(ProblemFeature::Of) const;
  /// The condition on the variable; null if there is none.
  const Condition* on(std::string_view variable) const;
};

/// A call, and what must come of it.
struct Prediction {
  enum class Of { fails, passes, bits_change, bits_repeat, leaves_unwritten };
  FurtherCall call;
  Of of;
};

/// True if the prediction comes true; one that cannot be asked does not.
bool comes_true(Inquiry&, const Prediction&);

/// One kind: one file in conformance/diagnosis/kinds/.
struct KindOfFault {
  std::string_view name;
  std::string_view says;     ///< what such a kernel does, in one sentence
  std::string_view look_at;  ///< where such a fault usually lies
  /// Alternatives: the kind is named if all predictions of one come true. None where nothing points at it.
  std::vector<std::vector<Prediction>> (*predictions)(const FailureFacts&);
  /// True if the kind is about how calls follow each other: then nothing else can be told by one call after the other.
  bool of_calls = false;
  /// True if calls of any property can tell it, and not only those of a bound.
  bool of_any_property = false;
};

/// The call of a problem with other inputs than it was asked with before.
FurtherCall fresh_inputs(Problem, std::uint64_t seed);

}  // namespace attestone::inline conformance
