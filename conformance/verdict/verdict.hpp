// SPDX-License-Identifier: Apache-2.0
// Verdicts: what came of one property of one kernel on one problem, and the evidence.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backends/device.hpp"
#include "conformance/verdict/accuracy_by_place.hpp"
#include "reference/error_bound/gain.hpp"
#include "reference/problem/problem.hpp"
#include "reference/shape.hpp"

namespace attestone::inline conformance {

enum class Outcome {
  passed,
  failed,        ///< the kernel is wrong
  skipped,       ///< the kernel refused the problem
  inconclusive,  ///< the case could not have told right from wrong
};

std::string_view text(Outcome);

/// The element that used the largest share of its budget.
struct WorstElement {
  std::string tensor;  ///< "out", "log_sum_exp", "max_logits", "dquery", ...
  index batch = 0, head = 0, query = 0, channel = 0;
  index visible_keys = 0;
  std::optional<index> query_tile;  ///< where kernels work in tiles
  double expected = 0, got = 0;     ///< the certified value, and the kernel's
  double ulps = 0;                  ///< their distance in units of the output format's last place
  double r_det = 0, r_prob = 0;     ///< error / bound; above 1 fails
};

/// How far an answer is from the truth, over all finite elements of O.
struct Accuracy {
  double max_ulp = 0, p99_ulp = 0;  ///< in units of the last place of the largest element of the same head
  double r_det = 0, r_prob = 0;     ///< worst of all elements of all tensors
  double rmse = 0, relative_l1 = 0, cosine = 1, signed_mean = 0;
};

/// Bytes that one pass of a kernel took.
struct Memory {
  bool backward = false;  ///< which pass
  MemoryUse peak;         ///< of what it took of its device
  index documented = 0, tensors = 0;
  std::vector<MeasuredDevice> devices = {};  ///< of a kernel on a mesh, in the order of ranks
  index total() const { return peak.bytes + tensors; }
};

/// A number that is 0 but for rounding, of which a run makes one test with those of its other problems.
struct Deviation {
  std::string_view statistic;  ///< "gain of dquery"
  GainDeviation sample;
};

/// An outcome, its reason, and what was measured on the way; made by the functions at its end.
struct Verdict {
  Outcome outcome = Outcome::passed;
  std::string reason;    ///< an id that `attestone explain` knows; empty when passed
  std::string evidence;  ///< one sentence: what was seen where
  std::optional<WorstElement> worst;
  std::optional<Accuracy> accuracy;
  std::vector<TensorAccuracy> by_place;  ///< where the errors lie; of the value bounds
  std::optional<Memory> memory;
  std::vector<Deviation> deviations = {};  ///< of the gains
  /// The other problem of a relation that failed: by itself it may fail a bound, and say why.
  std::shared_ptr<const Problem> derived = {};

  static Verdict passed() { return {}; }
  static Verdict failed(std::string_view reason, std::string evidence);
  static Verdict skipped(std::string why);
  static Verdict inconclusive(std::string_view reason, std::string why);
};

/// Why a case failed, was skipped or was inconclusive. A property whose reason is not in conformance/verdict/reasons/
/// registers one of its own.
struct Reason {
  std::string_view name;
  std::string_view meaning;
  std::string_view look_at;  ///< where a kernel goes wrong that fails for it
};

}  // namespace attestone::inline conformance
