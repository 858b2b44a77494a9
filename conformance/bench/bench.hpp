// SPDX-License-Identifier: Apache-2.0
// A bench: the limits of the machine, then every problem on every number of threads, cell by cell.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "conformance/bench/bench_result.hpp"
#include "conformance/bench/limits/limits.hpp"
#include "conformance/bench/rounds.hpp"

namespace attestone::inline conformance {

/// The work that is timed.
struct BenchWork {
  std::vector<Problem> problems;
  std::vector<int> threads;
  RoundOptions rounds;
  std::vector<std::unique_ptr<Contender>> contenders;
  std::function<void(const std::string&)> progress;  ///< is told what goes on; may be empty
};

/// A bench that another thread may look at while it goes on.
class Bench {
 public:
  /// `conditions` are what a result says of machine and build.
  explicit Bench(BenchResult conditions) : result_(std::move(conditions)) {}

  /// Times everything. Throws Stopped where a stop is asked for; what there is until then stays.
  void run(BenchWork&);
  BenchResult snapshot() const;

  void note_peers(const std::vector<PeerFacts>&);

 private:
  void measure_limits(const BenchWork&, Limits&);
  void measure_cell(BenchWork&, const Problem&, Limits&);

  mutable std::mutex mutex_;
  BenchResult result_;
};

/// The limit that a problem's work meets first on a machine with these rates: bytes of K and V against `read`, or
/// operations against those of its inputs' format. "f32", "f64", "bf16", "bf16_tile" or "read".
std::string nearest_limit(const Problem&, const ThreadLimits&);

}  // namespace attestone::inline conformance
