// SPDX-License-Identifier: Apache-2.0
// The request of `attestone run`, read from its words once, before any work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/program/request/kernel_request.hpp"
#include "conformance/program/request/problem_request.hpp"
#include "conformance/reports/report.hpp"
#include "conformance/run/run.hpp"

namespace attestone::inline conformance {

/// Nothing in it is text that is still to be read; texts are for messages, reports and repro lines.
struct RunRequest {
  bool serves_another_rank = false;  ///< this process is a rank that does not judge; nothing else was read
  ProblemRequest problems;
  KernelRequest kernels;
  std::vector<const Property*> properties, excluded;  ///< only these; all but these
  std::vector<std::string> required;                  ///< names of features, default_class, default_conventions
  std::optional<double> budget_seconds;
  bool fail_fast = false, shrink = true, allow_incomplete = false;
  bool verbose = false;  ///< the text report shows every property, feature and refusal of a kernel that conforms, too
  std::string report_directory;  ///< empty: none
  const ReportFormat* format = nullptr;
};

/// UserError for every mistake that the words hold.
RunRequest read_run_request(const RunWords&);

}  // namespace attestone::inline conformance
