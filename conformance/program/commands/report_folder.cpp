// SPDX-License-Identifier: Apache-2.0
// Trying files out, and replacing them.
#include "conformance/program/commands/report_folder.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

#include "reference/system_failure.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

constexpr const char* unfinished = ".unfinished";

[[noreturn]] void throw_unusable(const std::filesystem::path& path, const std::string& why) {
  throw UserError(fmt::format("the report cannot be written to {}: {}", path.string(), why),
                  "write --report=DIR with a folder that takes files");
}

}  // namespace

ReportFolder::ReportFolder(std::filesystem::path directory, const std::vector<std::string>& names)
    : directory_(std::move(directory)) {
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) throw_unusable(directory_, error.message());
  if (!std::filesystem::is_directory(directory_, error)) throw_unusable(directory_, "this is no folder");
  for (const std::string& name : names) {
    if (std::filesystem::is_directory(directory_ / name, error))
      throw_unusable(directory_ / name, "there is a folder of that name");
    const auto tried = directory_ / (name + unfinished);
    errno = 0;
    if (!std::ofstream(tried)) throw_unusable(tried, std::strerror(errno));
    std::filesystem::remove(tried, error);
  }
}

void ReportFolder::write(const std::vector<ReportFile>& files) const {
  for (const ReportFile& report : files) {
    const auto path = directory_ / report.name, part = directory_ / (report.name + unfinished);
    std::error_code error;
    errno = 0;
    std::ofstream file(part);
    report.write(file);
    if (!file.flush()) error = {errno, std::generic_category()};
    file.close();
    if (!error) std::filesystem::rename(part, path, error);
    if (!error) continue;
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw SystemFailure(fmt::format("{} cannot be written: {}", path.string(), error.message()));
  }
}

}  // namespace attestone::inline conformance
