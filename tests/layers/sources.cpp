// SPDX-License-Identifier: Apache-2.0
// Reading the sources of a tree.
#include "tests/layers/sources.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace attestone {
namespace {

/// The quoted path of an #include "..." line; empty for other lines.
std::string quoted_include(const std::string& line) {
  std::istringstream words(line);
  std::string hash, path;
  words >> hash;
  if (hash == "#") words >> path, hash += path;
  if (hash != "#include" || !(words >> path) || path.size() < 2 || path.front() != '"') return "";
  return path.substr(1, path.size() - 2);
}

Source read(const Path& root, const Path& file) {
  Source source{file, {}, {}};
  std::ifstream in(root / file);
  for (std::string line; std::getline(in, line);) {
    if (const std::string include = quoted_include(line); !include.empty()) source.includes.emplace_back(include);
    source.lines.push_back(line);
  }
  return source;
}

bool lies_in(const Path& path, const Path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace

std::size_t rank(const Path& path) {
  const auto holds = [&](std::string_view folder) { return lies_in(path, folder); };
  const auto layer = std::find_if(layers.begin(), layers.end(), holds);
  if (layer != layers.end()) return static_cast<std::size_t>(layer - layers.begin());
  return layers.size() + std::none_of(users.begin(), users.end(), holds);
}

std::vector<Source> sources(const Path& root) {
  const std::set<std::string> extensions{".hpp", ".cpp", ".h", ".c", ".cu", ".cuh"};
  std::set<Path> files;
  const auto collect = [&](std::string_view folder) {
    if (!std::filesystem::exists(root / folder)) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file() && extensions.count(entry.path().extension().string()))
        files.insert(entry.path().lexically_relative(root));
  };
  std::for_each(layers.begin(), layers.end(), collect);
  std::for_each(users.begin(), users.end(), collect);
  std::vector<Source> all;
  for (const Path& file : files) all.push_back(read(root, file));
  return all;
}

}  // namespace attestone
