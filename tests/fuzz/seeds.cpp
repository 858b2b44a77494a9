// SPDX-License-Identifier: Apache-2.0
// Between tables of seeds and the folders that libFuzzer reads: fuzz_seeds unpack TABLE FOLDER writes each seed to a
// file, fuzz_seeds add TABLE PATH... adds files, and those of folders, to the table.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/fuzz/seed_table.hpp"

namespace attestone {
namespace {

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << bytes).flush()) throw std::runtime_error("cannot write " + path.string());
}

void unpack(const std::string& table, const std::filesystem::path& folder) {
  int number = 0;
  std::filesystem::create_directories(folder);
  for (const std::string& seed : seeds_of(bytes_of(table))) write(folder / std::to_string(++number), seed);
}

/// libFuzzer tries no input at all before any seed, so that an empty file adds nothing.
void add(Seeds& seeds, const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path))
    for (const auto& entry : std::filesystem::directory_iterator(path)) add(seeds, entry.path());
  else if (const std::string bytes = bytes_of(path); !bytes.empty())
    seeds.insert(bytes);
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "unpack") {
    unpack(words[1], words[2]);
  } else if (words.size() >= 3 && words[0] == "add") {
    const std::string table = bytes_of(words[1]);
    Seeds seeds = seeds_of(table);
    const std::size_t before = seeds.size();
    for (std::size_t i = 2; i < words.size(); ++i) add(seeds, words[i]);
    write(words[1], table_of(seeds, table));
    std::printf("%s: %zu seeds, %zu of them new\n", words[1].c_str(), seeds.size(), seeds.size() - before);
  } else {
    std::fputs("usage: fuzz_seeds unpack TABLE FOLDER | fuzz_seeds add TABLE PATH...\n", stderr);
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace attestone

int main(int argc, char** argv) {
  try {
    return attestone::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_seeds: %s\n", error.what());
    return 1;
  }
}
