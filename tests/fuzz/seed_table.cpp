// SPDX-License-Identifier: Apache-2.0
// Reads and writes tables of seeds. There is one way to write a seed, so that a table which was damaged is noticed.
#include "tests/fuzz/seed_table.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace attestone {
namespace {

std::string escaped_byte(char byte, bool as_it_is) {
  constexpr char digits[] = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  if (byte == '\\') return "\\\\";
  if (as_it_is && byte >= ' ' && byte <= '~') return {byte};
  return {'\\', 'x', digits[value / 16], digits[value % 16]};
}

/// Reads a number that fills the whole text.
std::size_t number(std::string_view text, int base) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::runtime_error("an escape without its number");
  return value;
}

/// Takes one escape, which begins with a backslash, off the front of a line, and adds what it means to the seed.
void take_escape(std::string_view& line, std::string& seed) {
  constexpr std::size_t longest_run = 1 << 20;
  const auto take = [&line](std::size_t size) {
    const std::string_view taken = line.substr(0, size);
    line.remove_prefix(taken.size());
    return taken;
  };
  const std::string_view kind = take(2);
  if (kind == "\\\\") {
    seed += '\\';
  } else if (kind == "\\x") {
    seed += static_cast<char>(number(take(2), 16));
  } else if (kind == "\\{" && !seed.empty() && line.find('}') != std::string_view::npos) {
    const std::size_t times = number(take(line.find('}')), 10);
    take(1);
    if (times == 0 || times > longest_run) throw std::runtime_error("a run that is empty or too long");
    seed.append(times - 1, seed.back());
  } else {
    throw std::runtime_error("an unknown escape");
  }
}

std::string unescaped(std::string_view line) {
  std::string seed;
  while (!line.empty()) {
    if (line[0] == '\\') {
      take_escape(line, seed);
    } else {
      seed += line[0];
      line.remove_prefix(1);
    }
  }
  return seed;
}

/// Reads the seed of a line, which must come after `last`.
std::string seed_of(std::string_view line, const std::string& last) {
  const std::string seed = unescaped(line);
  if (seed.empty()) throw std::runtime_error("an empty seed");
  if (seed <= last) throw std::runtime_error("seeds must be sorted, and each stand once");
  if (escaped(seed) != line) throw std::runtime_error("this seed is written " + escaped(seed));
  return seed;
}

}  // namespace

std::string escaped(std::string_view seed) {
  std::string text;
  for (std::size_t begin = 0; begin < seed.size();) {
    const std::size_t end = std::min(seed.find_first_not_of(seed[begin], begin), seed.size());
    const bool at_an_edge = (seed[begin] == '#' && begin == 0) || (seed[begin] == ' ' && end == seed.size());
    const std::string byte = escaped_byte(seed[begin], !at_an_edge), run = "\\{" + std::to_string(end - begin) + "}";
    if (byte.size() + run.size() < (end - begin) * byte.size())
      text += byte + run;
    else
      for (; begin < end; ++begin) text += byte;
    begin = end;
  }
  return text;
}

Seeds seeds_of(std::string_view table) {
  Seeds seeds;
  std::string last;
  for (std::size_t number = 1; !table.empty(); ++number) {
    const std::size_t end = table.find('\n');
    const std::string_view line = table.substr(0, end);
    try {
      if (end == std::string_view::npos) throw std::runtime_error("the last line has no end");
      if (!line.starts_with('#')) seeds.insert(last = seed_of(line, last));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("line " + std::to_string(number) + ": " + error.what());
    }
    table.remove_prefix(end + 1);
  }
  if (seeds.empty()) throw std::runtime_error("no seeds");
  return seeds;
}

std::string table_of(const Seeds& seeds, std::string_view replaced) {
  std::string table;
  while (replaced.starts_with('#')) {
    const std::size_t end = std::min(replaced.find('\n'), replaced.size());
    table.append(replaced.substr(0, end)) += '\n';
    replaced.remove_prefix(std::min(end + 1, replaced.size()));
  }
  for (const std::string& seed : seeds) table += escaped(seed) + '\n';
  return table;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!std::filesystem::is_regular_file(path) || !file) throw std::runtime_error("cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace attestone
