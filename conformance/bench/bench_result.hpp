// SPDX-License-Identifier: Apache-2.0
// The results of a bench: plain data, whole at any time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/bench/contender.hpp"
#include "conformance/run/kernel_run.hpp"

namespace attestone::inline conformance {

/// A limit as it was measured at the beginning.
struct MeasuredLimit {
  std::string name, unit;
  std::optional<double> rate;  ///< a second; nothing where the processor cannot do it
};

/// All limits on a number of threads.
struct ThreadLimits {
  int threads = 0;
  std::vector<MeasuredLimit> limits;

  /// Nothing if there is none of that name.
  std::optional<double> rate(std::string_view name) const;
};

/// One contender in one cell. Seconds stand for rounds in which the limit held still, in their order.
struct Entry {
  std::string contender;
  std::string skipped;               ///< why it was not timed
  std::string misbehaved;            ///< what it did instead of answering
  std::vector<double> seconds = {};  ///< of one call
  std::vector<double> shares = {};   ///< of the limit of the same round
  std::optional<PeakMemory> memory = {};
  std::vector<std::string> notes = {};
};

/// A problem on a number of threads.
struct BenchCell {
  Problem problem;
  int threads = 1;
  std::string limit;  ///< which one the work meets first, "f32" or "read"
  double amount = 0;  ///< of that limit: operations, or bytes of K and V
  double flops = 0, bytes = 0;
  std::vector<double> rates = {};  ///< of the limit, in the rounds that count
  int unsteady_rounds = 0;         ///< in which it moved
  bool in_cache = false;           ///< K and V are read, and lie within the last cache
  std::vector<Entry> entries = {};
};

/// A peer that was asked for: a library of other people's, in a process of its own.
struct PeerFacts {
  std::string name;
  std::string version, meaning;
  std::string absent;  ///< why it cannot be asked
};

/// Everything, with the conditions under which it was measured.
struct BenchResult {
  std::string version, compiler, instruction_set, processor, system, date;
  std::size_t last_cache = 0;
  int rounds = 0;
  double largest_move = 0;  ///< of the limit around a round that counts, relative
  std::vector<ThreadLimits> limits;
  std::vector<PeerFacts> peers;
  std::vector<BenchCell> cells;
  std::size_t cells_asked = 0;
  std::optional<CutShort> cut_short;
  std::string own_failure;
};

}  // namespace attestone::inline conformance
