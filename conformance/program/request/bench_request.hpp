// SPDX-License-Identifier: Apache-2.0
// The request of `attestone bench`, read from its words once, before any work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/bench/formats/bench_format.hpp"
#include "conformance/bench/rounds.hpp"
#include "conformance/program/request/kernel_request.hpp"

namespace attestone::inline conformance {

/// Nothing in it is text that is still to be read, but for names of peers, which their program knows.
struct BenchRequest {
  std::vector<Problem> problems;
  KernelRequest kernels;
  std::string peers;                  ///< the line that starts peers; empty: none
  std::vector<NamedPart> peer_names;  ///< only these; all if empty
  std::vector<int> threads;
  RoundOptions rounds;
  std::optional<double> budget_seconds;
  bool limits_only = false;
  std::string report_directory;  ///< empty: none
  const BenchFormat* format = nullptr;
};

/// UserError for every mistake that the words hold.
BenchRequest read_bench_request(const BenchWords&);

}  // namespace attestone::inline conformance
