// SPDX-License-Identifier: Apache-2.0
// attestone score: which planted bugs each judge catches.
#include <fmt/format.h>
#include <iostream>
#include <optional>

#include "conformance/program/commands.hpp"
#include "conformance/program/commands/report_folder.hpp"
#include "conformance/program/ending.hpp"
#include "conformance/program/request/named.hpp"
#include "conformance/rival_rules/formats/matrix_format.hpp"
#include "conformance/rival_rules/kill_matrix.hpp"

namespace attestone::inline conformance {
namespace {

std::string file_name(const MatrixFormat& format) { return fmt::format("score.{}", format.extension); }

std::optional<ReportFolder> folder_of(const ScoreCommand& command) {
  if (command.report_directory.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [name, format] : Registry<MatrixFormat>::all()) names.push_back(file_name(format));
  return ReportFolder(command.report_directory, names);
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

ExitStatus score_command(const ScoreCommand& command) {
  const MatrixFormat& format = named<MatrixFormat>(value_of("--format", command.format), "format");
  MatrixOptions options{.suite = command.suite};
  for (const NamedPart& part : parts_of("--judge", command.judges))
    options.judges.push_back(&named<Judge>(part, "judge"));
  for (const NamedPart& part : parts_of("--mutant", command.mutants))
    options.mutants.push_back(&named<Mutant>(part, "mutant"));
  const std::optional<ReportFolder> folder = folder_of(command);
  end_when_interrupted();
  const KillMatrix matrix = kill_matrix(options);
  format.write(matrix, std::cout);
  if (folder) write_files(matrix, *folder, command.report_directory);
  return matrix.flawless() ? ExitStatus::ok : ExitStatus::does_not_conform;
}

}  // namespace attestone::inline conformance
