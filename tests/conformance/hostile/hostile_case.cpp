// SPDX-License-Identifier: Apache-2.0
// Reading what hostile kernels expect, letting them loose, and looking at what stays behind.
#include "tests/conformance/hostile/hostile_case.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/conformance/reports/json_of.hpp"
#include "tests/places.hpp"
#include "tests/sanitizers.hpp"
#include "tests/shell.hpp"

namespace attestone {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<HostileCase> hostile_cases(const std::string& folder, const std::string& comment) {
  std::vector<HostileCase> all;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(source_folder()) / folder)) {
    HostileCase hostile{entry.path(), entry.path().stem().string(), {}, "", "", ""};
    std::istringstream lines(content_of(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      const auto behind = [&line, &comment](const std::string& word) {
        const std::string marker = comment + " " + word + ": ";
        return line.starts_with(marker) ? line.substr(marker.size()) : "";
      };
      if (const std::string expected = behind("expect"); !expected.empty()) {
        const std::size_t space = expected.find(' ');
        std::istringstream reasons(expected.substr(0, space));
        for (std::string reason; std::getline(reasons, reason, '|');) hostile.reasons.push_back(reason);
        hostile.arguments = expected.substr(space + 1);
      }
      if (const std::string says = behind("says"); !says.empty()) hostile.says = says;
      if (const std::string leaves = behind("leaves"); !leaves.empty()) hostile.leaves = leaves;
    }
    if (!hostile.reasons.empty()) all.push_back(hostile);
  }
  std::sort(all.begin(), all.end(), [](const auto& one, const auto& other) { return one.name < other.name; });
  return all;
}

std::set<std::string> entries_of(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

std::set<std::string> new_entries(const std::filesystem::path& folder, const std::set<std::string>& before) {
  std::set<std::string> names = entries_of(folder);
  for (const std::string& name : before) names.erase(name);
  // clang's OpenMP runtime registers in shared memory, for other tests too.
  std::erase_if(names, [](const std::string& name) { return name.starts_with("__KMP_REGISTERED_LIB"); });
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

void expect_verdict(const HostileCase& hostile, const HostileGround& ground, const std::string& door) {
  std::ofstream(ground.folder / "visible.txt")
      << content_of(std::filesystem::path(source_folder()) / "tests/hostile/visible.txt");
  const auto files = entries_of(ground.folder.path()), shared = entries_of("/dev/shm");
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
  EXPECT_EQ(left, std::set<std::string>{});
  if (left.count("left_by_a_kernel") > 0) std::filesystem::remove("/dev/shm/left_by_a_kernel");
}

}  // namespace attestone
