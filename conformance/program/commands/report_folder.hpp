// SPDX-License-Identifier: Apache-2.0
// The folder of --report: known to take files before anything runs, and written when all has run.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace attestone::inline conformance {

/// One file of a folder: its name, and what writes it.
struct ReportFile {
  std::string name;
  std::function<void(std::ostream&)> write;
};

/// A folder that takes these files. Made, and tried out, by the constructor: a run is not worth its time if its report
/// cannot be kept.
class ReportFolder {
 public:
  /// UserError if the folder cannot be made, or one of the files not written. What is there already stays as it is.
  ReportFolder(std::filesystem::path directory, const std::vector<std::string>& names);
  /// Writes each file whole: what was there is replaced when the new one is complete. SystemFailure if it cannot be.
  void write(const std::vector<ReportFile>&) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace attestone::inline conformance
