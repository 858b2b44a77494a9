// SPDX-License-Identifier: Apache-2.0
// Whoever is timed: it gets ready for one problem, and then takes turns.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// A contender does not take a problem, or is not there at all; the message says why. It is skipped.
class NotTaken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A contender misbehaved: it crashed, hung, or answered what is no answer. It leaves the cell.
class Misbehaved : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The most memory that a contender took, and of what.
struct PeakMemory {
  double bytes = 0;
  std::string of;  ///< "allocations" of our kernels; "process" of those that have one of their own
};

/// A contender that is ready for one problem on a number of threads. Its calls have been warmed up.
class Runner {
 public:
  virtual ~Runner() = default;
  /// One turn: see turn_of().
  virtual double seconds_of_turn() = 0;
  virtual PeakMemory memory() = 0;
  /// The settings chosen for this problem, for the report: "OMP_NUM_THREADS 2".
  virtual std::vector<std::string> notes() { return {}; }
};

/// Anyone that can be made ready.
class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string name() const = 0;
  /// NotTaken, or Misbehaved.
  virtual std::unique_ptr<Runner> ready(const Problem&, int threads) = 0;
};

/// How long a turn lasts that is made of several calls.
constexpr double turn_seconds = 0.02;

/// A turn: calls one after the other until they took turn_seconds together, the first of several not counted since it
/// finds cold caches and sleeping threads. The median of their seconds; a call that takes a whole turn is one.
double turn_of(const std::function<double()>& timed_call);

}  // namespace attestone::inline conformance
