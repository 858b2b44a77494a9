// SPDX-License-Identifier: Apache-2.0
// Reading what hostile kernels expect, letting them loose, and looking at what stays behind.
#include "tests/conformance/hostile/hostile_case.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string_view>

#include "tests/conformance/reports/json_of.hpp"
#include "tests/places.hpp"
#include "tests/sanitizers.hpp"
#include "tests/shell.hpp"

namespace attestone {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

namespace {

/// Kernels in C++ have comments that begin with `//`, programs for Python and for the shell those with `#`.
bool is_code(const std::filesystem::path& file, const std::string& comment) {
  const std::string extension = file.extension().string();
  return comment == "//" ? extension == ".cpp" : extension == ".py" || extension == ".sh";
}

/// "crashed|exited"
std::vector<std::string> reasons_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream words(text);
  for (std::string reason; std::getline(words, reason, '|');) all.push_back(reason);
  return all;
}

/// The name of the case that begins with this line of code; empty if none does.
std::string case_begun_by(const std::string& line, const std::string& extension, bool decorated) {
  const auto between = [&line](std::string_view begin, std::string_view end) -> std::string {
    const std::size_t at = line.find(end, begin.size());
    return line.starts_with(begin) && at != std::string::npos ? line.substr(begin.size(), at - begin.size()) : "";
  };
  if (extension == ".cpp") return between("namespace ", " {");
  if (extension == ".py") return decorated ? between("def ", "(") : "";
  return between("", "() {");
}

/// Takes what a comment says in front of a case.
void note(const std::string& line, const std::string& comment, HostileCase& hostile) {
  const auto behind = [&line, &comment](const std::string& word) {
    const std::string marker = comment + " " + word + ": ";
    return line.starts_with(marker) ? line.substr(marker.size()) : "";
  };
  if (const std::string expected = behind("expect"); !expected.empty()) {
    const std::size_t space = expected.find(' ');
    hostile.reasons = reasons_of(expected.substr(0, space));
    hostile.arguments = expected.substr(space + 1);
  }
  static const std::regex without(" (expect|leaves) without ([^:]+): (.*)");
  if (std::smatch match; std::regex_match(line.begin() + std::ssize(comment), line.end(), match, without)) {
    HostileCase::Without& differs = hostile.without[match[2]];
    if (match[1] == "expect") differs.reasons = reasons_of(match[3]);
    if (match[1] == "leaves") differs.left_in_shared_memory = {match[3]};
  }
  if (const std::string says = behind("says"); !says.empty()) hostile.says = says;
  if (const std::string leaves = behind("leaves"); !leaves.empty()) hostile.leaves = leaves;
}

void append_cases_of(const std::filesystem::path& file, const std::string& comment, std::vector<HostileCase>& all) {
  HostileCase next;
  bool decorated = false;
  std::istringstream lines(content_of(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(comment + " ")) {
      note(line, comment, next);
      continue;
    }
    if (const std::string name = case_begun_by(line, file.extension().string(), decorated); !name.empty()) {
      next.file = file;
      next.name = name;
      all.push_back(next);
    }
    decorated = line.starts_with('@');
    if (!decorated) next = {};
  }
}

}  // namespace

std::vector<HostileCase> hostile_cases(const std::string& folder, const std::string& comment) {
  std::vector<HostileCase> all;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(source_folder()) / folder))
    if (entry.is_regular_file() && is_code(entry.path(), comment)) append_cases_of(entry.path(), comment, all);
  std::sort(all.begin(), all.end(), [](const auto& one, const auto& other) { return one.name < other.name; });
  return all;
}

std::string command_of(const HostileCase& program) {
  const char* const interpreter = program.file.extension() == ".sh" ? "sh" : "python3 -S";
  return fmt::format("{} {} {}", interpreter, program.file.string(), program.name);
}

std::set<std::string> entries_of(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

std::set<std::string> new_entries(const std::filesystem::path& folder, const std::set<std::string>& before) {
  std::set<std::string> names = entries_of(folder);
  for (const std::string& name : before) names.erase(name);
  // Other tests use shared memory as well: clang's OpenMP runtime registers there, and ranks of MPI have a folder.
  std::erase_if(names, [](const std::string& name) {
    return name.starts_with("__KMP_REGISTERED_LIB") || name.starts_with("attestone-");
  });
  return names;
}

bool obeyed_by_terminals(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f) return true;
    const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0;
    if (byte == 0xc2 && next >= 0x80 && next < 0xa0) return true;  // U+0080 to U+009F
  }
  return false;
}

std::string HostileOutput::verdict() const {
  if (status == 2) return "usage";
  if (status == 5) return "refused";
  const nlohmann::json json = json_of(report);
  if (json.is_discarded()) return "no report";
  const nlohmann::json& failures = json.at("runs").at(0).at("failures");
  if (!failures.empty()) return status == 1 ? failures.at(0).at("reason").get<std::string>() : "a failure";
  return status == 0 && json.at("conforms") == true ? "conforms" : "no failure";
}

HostileOutput HostileGround::run(const std::string& door, const std::string& arguments,
                                 const std::string& format) const {
  const int status =
      shell(fmt::format("cd {} && export PYTHONDONTWRITEBYTECODE=1 && exec timeout -s KILL 60 attestone run {} {} "
                        "--format={} <visible.txt >{} 2>{}",
                        folder.string(), door, arguments, format, (outputs_ / "report").string(),
                        (outputs_ / "narration").string()))
          .status;
  return {status, content_of(outputs_ / "report"), content_of(outputs_ / "narration")};
}

namespace {

/// The address sanitizer of the worker ends a library that touches what is not its own, as a crash or with exit
/// status 1.
bool is_right(const std::string& verdict, const std::vector<std::string>& reasons, const std::string& door) {
  const auto expected = [&](const char* reason) {
    return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
  };
  if (expected(verdict.c_str())) return true;
  const bool in_a_worker = door.starts_with("--plugin");
  return address_is_sanitized && in_a_worker && !expected("conforms") && (verdict == "crashed" || verdict == "exited");
}

}  // namespace

HostileCase expected_where(HostileCase hostile, const std::string& doctor) {
  for (const auto& [measure, without] : hostile.without) {
    std::smatch line;
    const bool is_told = std::regex_search(doctor, line, std::regex("\\n  " + measure + " +(yes|no)\\b"));
    EXPECT_TRUE(is_told) << "attestone doctor does not speak of '" << measure << "'\n" << doctor;
    if (!is_told || line[1] == "yes") continue;
    if (!without.reasons.empty()) hostile.reasons = without.reasons;
    hostile.left_in_shared_memory.insert(without.left_in_shared_memory.begin(), without.left_in_shared_memory.end());
  }
  return hostile;
}

void expect_verdict(const HostileCase& any_machine, const HostileGround& ground, const std::string& door) {
  std::ofstream(ground.folder / "visible.txt")
      << content_of(std::filesystem::path(source_folder()) / "tests/hostile/visible.txt");
  const auto files = entries_of(ground.folder.path()), shared = entries_of("/dev/shm");
  const HostileCase hostile =
      any_machine.without.empty() ? any_machine : expected_where(any_machine, shell("attestone doctor").text);
  const HostileOutput output = ground.run(door, hostile.arguments);
  EXPECT_TRUE(is_right(output.verdict(), hostile.reasons, door))
      << output.verdict() << ", exit status " << output.status << '\n'
      << output.report << output.narration;
  EXPECT_NE(output.narration.find(hostile.says), std::string::npos) << output.narration;
  EXPECT_FALSE(obeyed_by_terminals(output.report)) << output.report;
  EXPECT_EQ(Descendants::left(), std::vector<std::string>{});
  for (const std::string& name : new_entries(ground.folder.path(), files))
    EXPECT_TRUE(!hostile.leaves.empty() && name.starts_with(hostile.leaves)) << name;
  const auto left = new_entries("/dev/shm", shared);
  EXPECT_EQ(left, hostile.left_in_shared_memory);
  for (const auto& [measure, without] : hostile.without)
    for (const std::string& name : without.left_in_shared_memory)
      std::filesystem::remove(std::filesystem::path("/dev/shm") / name);
}

}  // namespace attestone
