// SPDX-License-Identifier: Apache-2.0
// Asking a kernel that failed about problems near the one on which it did.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/verdict/error_field.hpp"
#include "conformance/verdict/verdict.hpp"
#include "reference/call/tensors.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// One more call of a kernel.
struct FurtherCall {
  Problem problem;
  std::shared_ptr<const Inputs> inputs = nullptr;  ///< in place of what the fill draws; null: that
  int threads = 0;                                 ///< 0: as many as ever
  bool fresh = false;                              ///< an outside kernel's first call of a process
  bool repeated = false;                           ///< the same call some times more, to see whether its bits change
  bool over_two_poisons = false;                   ///< once more over other poison, to see what it leaves unwritten
};

/// The result of a further call.
struct Heard {
  Verdict verdict;                      ///< of the property that failed
  std::vector<ErrorField> errors = {};  ///< of each tensor, where the property is a bound
  bool bits_change = false;             ///< where the call was repeated
  index unwritten = 0;                  ///< elements that hold the poison, whichever it was
};

/// Calls the kernel.
using AskKernel = std::function<Heard(const FurtherCall&)>;

/// The further calls about one failure: few, of small problems, none of them twice.
class Inquiry {
 public:
  /// `reason` is that of the failure: what fails for another one says nothing about it.
  Inquiry(AskKernel ask, std::string reason) : ask_(std::move(ask)), reason_(std::move(reason)) {}

  /// Null if the problem is too large or no valid one, or calls are used up.
  std::optional<Heard> hear(const FurtherCall&);
  /// True for the same failure, false for none; nothing if the result tells neither.
  std::optional<bool> is_alike(const Heard&) const;
  /// True if the call fails alike; nothing if it was refused, could not tell, or failed for another reason.
  std::optional<bool> fails(const FurtherCall&);
  std::optional<bool> fails(const Problem&);
  /// True if the problem fails with one of two seeds: a failure that depends on the inputs as well may pass with one.
  std::optional<bool> fails_with_some_seed(Problem);

  index calls() const { return calls_; }

 private:
  AskKernel ask_;
  std::string reason_;
  std::map<std::string, std::optional<bool>> known_;  ///< of plain calls, by the problem's text
  index calls_ = 0;
  double work_ = 0;  ///< multiply-adds of all of them
};

/// Returns the problem with other inputs.
Problem with_seed(Problem, std::uint64_t more);

}  // namespace attestone::inline conformance
