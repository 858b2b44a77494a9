// SPDX-License-Identifier: Apache-2.0
// attestone init: a directory with a right and a wrong kernel, ready to build, to judge and to change.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>

#include "conformance/program/commands.hpp"
#include "conformance/program/kernel_template.hpp"
#include "conformance/program/request/named.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

std::vector<TemplateFile> files_of(const std::string& language) {
  std::vector<TemplateFile> files;
  std::set<std::string> languages;
  for (const TemplateFile& file : template_files()) {
    languages.emplace(file.language);
    if (file.language == language) files.push_back(file);
  }
  if (files.empty())
    throw UserError(fmt::format("there is no template in '{}'", language), value_of("--language", language).place,
                    did_you_mean(language, std::vector(languages.begin(), languages.end())));
  return files;
}

void write(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw UserError(fmt::format("{} cannot be written: {}", path.string(), std::strerror(errno)));
}

}  // namespace

ExitStatus init_command(const std::string& directory, const std::string& language) {
  const std::vector<TemplateFile> files = files_of(language);
  const std::filesystem::path root = directory;
  for (const TemplateFile& file : files)
    if (std::error_code error; std::filesystem::exists(std::filesystem::symlink_status(root / file.path, error)))
      throw UserError(fmt::format("{} exists already", (root / file.path).string()), "init overwrites nothing");
  for (const TemplateFile& file : files) write(root / file.path, file.text);
  const bool is_built = language != "python";
  fmt::print("{} holds a right and a wrong kernel in {}. Next:\n\n  cd {}\n{}", directory, language, directory,
             is_built ? "  make\n  attestone run --plugin=./libkernel.so\n  attestone run --plugin=./libwrong.so\n"
                      : "  attestone run --program='python3 kernel.py'\n"
                        "  attestone run --program='python3 wrong.py'\n");
  return ExitStatus::ok;
}

}  // namespace attestone::inline conformance
