// SPDX-License-Identifier: Apache-2.0
// Reports: what a run is shown as. Each format is one file in conformance/reports/.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/run/exit_status.hpp"
#include "conformance/run/run.hpp"

namespace attestone::inline conformance {

/// The data that all formats print: the runs of one command, and what their results depend on.
struct Report {
  std::string version;
  std::string instruction_set;  ///< results may depend on it; never on the compiler or the number of threads
  std::string suite;            ///< what was run: a suite's name or a problem
  std::vector<KernelRun> runs;  ///< empty if it was cut short while kernels were loaded

  bool conforms() const;
  bool decided() const;  ///< whether any case told right from wrong
};

/// How a report is printed.
struct Style {
  bool colour = false;
  bool verbose = false;  ///< all of it, also of a kernel that conforms
};

/// A named format: one file in conformance/reports/.
struct ReportFormat {
  std::string_view name;
  std::string_view extension;
  std::string_view summary;
  void (*write)(const Report&, const Style&, std::ostream&);
};

/// The worst accuracy of the cases of each input and output format, by accuracy_format().
std::map<std::string, Accuracy> worst_accuracy(const KernelRun&);
/// The worst of those cases alone whose fill `takes` takes.
std::map<std::string, Accuracy> worst_accuracy(const KernelRun&, const std::function<bool(const std::string&)>& takes);

/// The case with the largest total of memory in one pass; null if no case of it was measured.
const Case* largest_memory(const KernelRun&, bool backward);

/// The exit status after this report: 3, 1, 6, 5 or 0, the first that holds. A run that was cut short is no
/// success; with `allow_incomplete` it counts by its partial result.
ExitStatus status_of(const Report&, bool allow_incomplete);

}  // namespace attestone::inline conformance
