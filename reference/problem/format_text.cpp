// SPDX-License-Identifier: Apache-2.0
// Reads and prints formats: dtypes with the granularity of their scales, one for all inputs or one for each.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "reference/problem/problem_fields.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

std::string names_without_scales() {
  std::string names;
  for (const auto& [name, format] : Registry<DType>::all())
    if (!format.needs_scales) names += " " + name;
  return names;
}

const DType& read_dtype(Scanner& in) {
  const std::size_t begin = in.position();
  const std::string name = in.word("a dtype");
  const DType* known = Registry<DType>::find(name);
  if (!known) in.fail(begin, "unknown dtype '" + name + "'", did_you_mean(name, Registry<DType>::names()));
  return *known;
}

/// One of the words, or the channels of a block.
std::string read_granularity(Scanner& in) {
  if (std::isdigit(static_cast<unsigned char>(in.peek()))) return std::to_string(in.integer("a block of channels", 1));
  const std::size_t begin = in.position();
  std::string name = in.word("what has one scale: a word, or so many channels");
  std::vector<std::string> known;
  for (const Granularity& granularity : granularities()) known.emplace_back(granularity.name);
  if (std::ranges::find(known, name) == known.end())
    in.fail(begin, "a scale belongs to no '" + name + "'", did_you_mean(name, known));
  return name;
}

Format read_format(Scanner& in) {
  const std::size_t begin = in.position();
  Format format{read_dtype(in)};
  if (in.take(':'))
    format.granularity = read_granularity(in);
  else if (format.dtype.needs_scales)
    in.fail(begin, fmt::format("dtype '{}' needs a scale for each block of elements", format.dtype.name),
            fmt::format("say what has one, as in {}:token", format.dtype.name));
  return format;
}

/// Reads the optional output format (`>f32`), which has no scales; default: the query's.
void read_output(Scanner& in, Problem& problem) {
  const bool is_given = in.take('>');
  const std::size_t begin = in.position();
  if (is_given) problem.output = read_dtype(in);
  if (problem.output.needs_scales)
    in.fail(
        begin,
        fmt::format("dtype '{}' needs a scale for each block of elements, and answers have none", problem.output.name),
        "write an output of another format, as in >f32:" + names_without_scales());
}

}  // namespace

void read_formats(Scanner& in, Problem& problem) {
  const std::size_t begin = in.position();
  const Format query = read_format(in);
  std::vector<Format> all{query};
  while (in.take('+')) all.push_back(read_format(in));
  if (all.size() == 1) all = {query, query, query};
  if (all.size() != 3)
    in.fail(begin, "there is one format for all inputs, or one each for query, key and value",
            "write dtype=bf16, or dtype=bf16+e4m3+e4m3");
  problem.input = problem.output = query.dtype;
  const bool plain = std::ranges::all_of(all, [&](const Format& format) { return format == Format{query.dtype}; });
  problem.formats = plain ? std::vector<Format>() : all;
  read_output(in, problem);
}

std::string print_formats(const Problem& problem) {
  const std::vector<Format>& all = problem.formats;
  std::string inputs(problem.input.name);
  if (!all.empty()) {
    const bool same = all[0] == all[1] && all[0] == all[2];
    inputs = same ? all[0].text() : fmt::format("{}+{}+{}", all[0].text(), all[1].text(), all[2].text());
  }
  if (problem.output != problem.input) return fmt::format("{}>{}", inputs, problem.output.name);
  return inputs == "f32" ? std::string() : inputs;
}

}  // namespace attestone
