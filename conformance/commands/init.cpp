// SPDX-License-Identifier: Apache-2.0
// attestone init: a directory with a right and a wrong kernel, ready to build, to judge and to change.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>

#include "conformance/commands/commands.hpp"
#include "conformance/kernel_template.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

std::vector<TemplateFile> files_of(const std::string& language) {
  std::vector<TemplateFile> files;
  std::set<std::string> languages;
  for (const TemplateFile& file : template_files()) {
    languages.emplace(file.language);
    if (file.language == language) files.push_back(file);
  }
  if (files.empty())
    throw UserError(fmt::format("there is no template in '{}'", language),
                    did_you_mean(language, std::vector(languages.begin(), languages.end())));
  return files;
}

void write(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw UserError("cannot write " + path.string());
}

}  // namespace

ExitStatus init_command(const std::string& directory, const std::string& language) {
  const std::vector<TemplateFile> files = files_of(language);
  const std::filesystem::path root = directory;
  for (const TemplateFile& file : files)
    if (std::filesystem::exists(root / file.path))
      throw UserError(fmt::format("{} exists already", (root / file.path).string()), "init overwrites nothing");
  for (const TemplateFile& file : files) write(root / file.path, file.text);
  const bool is_built = language != "python";
  fmt::print("{} holds a right and a wrong kernel in {}. Next:\n\n  cd {}\n{}", directory, language, directory,
             is_built ? "  make\n  attestone run --plugin=./libkernel.so\n  attestone run --plugin=./libwrong.so\n"
                      : "  attestone run --program='python3 kernel.py'\n"
                        "  attestone run --program='python3 wrong.py'\n");
  return ExitStatus::ok;
}

}  // namespace attestone
