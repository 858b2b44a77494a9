// SPDX-License-Identifier: Apache-2.0
// The programs of an outside method: one for each rank, and what they say of themselves.
#pragma once

#include <map>
#include <set>
#include <string>

#include "backends/plugins/declared/declared_limits.hpp"
#include "backends/plugins/declared/declared_numerics.hpp"
#include "backends/plugins/program/program_worker.hpp"
#include "backends/plugins/protocol/call_limits.hpp"

namespace attestone::inline backends {

/// Processes by rank, each started when it is first needed.
class RankWorkers {
 public:
  /// Starts the first one, and asks it. UserError if that cannot be used.
  RankWorkers(std::string line, const CallLimits&);

  const std::string& line() const { return line_; }
  bool backward() const { return backward_; }
  /// block, zigzag or striped.
  const std::string& placement() const { return placement_; }
  const DeclaredLimits& limits() const { return limits_; }
  /// The arithmetic that the program declares for so many places.
  const DeclaredNumerics& numerics(index places);
  /// Changes with what it says.
  std::uint64_t fingerprint() const;

  ProgramWorker& of(index rank);
  /// A copy of the text that lasts as long as this object: messages name places in the program's source.
  const char* lasting(const std::string& text) { return texts_.insert(text).first->c_str(); }
  void restart() { workers_.clear(); }

 private:
  Safetensors described(index places);

  std::string line_;
  CallLimits call_limits_;
  std::map<index, ProgramWorker> workers_;
  std::map<index, DeclaredNumerics> numerics_;
  std::set<std::string> texts_;
  Safetensors said_;
  bool backward_;
  std::string placement_;
  DeclaredLimits limits_;
};

}  // namespace attestone::inline backends
