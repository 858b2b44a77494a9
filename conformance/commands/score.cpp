// SPDX-License-Identifier: Apache-2.0
// attestone score: which planted bugs each judge catches.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/named.hpp"
#include "conformance/score/kill_matrix.hpp"
#include "conformance/views/view.hpp"

namespace attestone {
namespace {

void write_files(const KillMatrix& matrix, const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  for (const auto& [name, view] : Registry<MatrixView>::all()) {
    const auto path = directory / ("score." + std::string(view.extension));
    std::ofstream file(path);
    view.write(matrix, file);
    if (!file.flush()) throw UserError("cannot write " + path.string());
  }
  fmt::print(stderr, "the views are in {}\n", directory.string());
}

}  // namespace

ExitStatus score_command(const ScoreCommand& command) {
  const MatrixView& view = named<MatrixView>(command.format, "view");
  ScoreOptions options{.suite = command.suite};
  for (const std::string& name : command.judges) options.judges.push_back(&named<Judge>(name, "judge"));
  for (const std::string& name : command.mutants) options.mutants.push_back(&named<Mutant>(name, "mutant"));
  const KillMatrix matrix = kill_matrix(options);
  view.write(matrix, std::cout);
  std::cout.flush();
  if (!command.report_directory.empty()) write_files(matrix, command.report_directory);
  return matrix.flawless() ? ExitStatus::ok : ExitStatus::does_not_conform;
}

}  // namespace attestone
