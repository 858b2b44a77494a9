// SPDX-License-Identifier: Apache-2.0
// attestone score: which planted bugs each judge catches.
#include <fmt/format.h>
#include <iostream>
#include <optional>

#include "conformance/program/commands.hpp"
#include "conformance/program/commands/report_folder.hpp"
#include "conformance/program/ending.hpp"

namespace attestone::inline conformance {
namespace {

std::string file_name(const MatrixFormat& format) { return fmt::format("score.{}", format.extension); }

std::optional<ReportFolder> folder_of(const ScoreRequest& request) {
  if (request.report_directory.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [name, format] : Registry<MatrixFormat>::all()) names.push_back(file_name(format));
  return ReportFolder(request.report_directory, names);
}

void write_files(const KillMatrix& matrix, const ReportFolder& folder, const std::string& directory) {
  std::vector<ReportFile> files;
  for (const auto& [name, format] : Registry<MatrixFormat>::all()) {
    const MatrixFormat& own = format;
    files.push_back({file_name(own), [&matrix, &own](std::ostream& out) { own.write(matrix, out); }});
  }
  folder.write(files);
  say(fmt::format("the matrix is in {}\n", directory));
}

}  // namespace

ExitStatus score_command(const ScoreRequest& request) {
  const std::optional<ReportFolder> folder = folder_of(request);
  end_when_interrupted();
  const KillMatrix matrix = kill_matrix(request.options);
  request.format->write(matrix, std::cout);
  if (folder) write_files(matrix, *folder, request.report_directory);
  return matrix.flawless() ? ExitStatus::ok : ExitStatus::does_not_conform;
}

}  // namespace attestone::inline conformance
