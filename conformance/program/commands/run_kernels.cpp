// SPDX-License-Identifier: Apache-2.0
// Reading amounts, and loading kernels.
#include "conformance/program/commands/run_kernels.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <omp.h>

#include "backends/changed_kernel.hpp"
#include "backends/distributed/method/rank_program.hpp"
#include "backends/plugins/declared/declared_numerics.hpp"
#include "backends/plugins/program/program_kernel.hpp"
#include "backends/plugins/shared_library/plugin_kernel.hpp"
#include "conformance/program/commands/mesh_options.hpp"
#include "conformance/program/commands/named.hpp"
#include "conformance/run/kernels.hpp"
#include "conformance/run/run.hpp"
#include "mutants/mutant.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// A number and its unit, at most `most`: "1.5m" is 90 with {{"s", 1}, {"m", 60}}.
double amount_of(const NamedPart& part, const std::map<std::string, double>& units, double most, const char* what,
                 const std::string& hint) {
  double amount = 0;
  const std::string& text = part.text;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  const auto unit = units.find(std::string(stop, text.data() + text.size()));
  if (error != std::errc{} || unit == units.end() || !(amount > 0) || !std::isfinite(amount))
    throw UserError(fmt::format("'{}' is no {}", text, what), part.place, hint);
  if (amount * unit->second > most) throw UserError(fmt::format("'{}' is too much", text), part.place, hint);
  return amount * unit->second;
}

/// "diffusers/..."
bool begins_with_a_system(const std::string& text) {
  const std::string system = text.substr(0, text.find('/') + 1);
  const auto of_it = [&](const std::string& name) { return name.starts_with(system); };
  return !system.empty() && (std::ranges::any_of(Registry<RankProgramEntry>::names(), of_it) ||
                             std::ranges::any_of(Registry<Mutant>::names(), of_it));
}

/// A shared library or a script in the place of a name.
[[noreturn]] void throw_file_as_kernel(const NamedPart& part) {
  throw UserError("a kernel's name, not a file", part.place,
                  "write --plugin=FILE for a shared library, --program=LINE for a program");
}

/// What the command line declares: conventions, and numerics.
struct Declared {
  explicit Declared(const std::string& its_text)
      : text(its_text), numerics(words(false), owner), conventions(words(true)) {
    with_declared(Conventions{}, conventions, owner);  // a mistake shows before anything is judged
  }

  static constexpr const char* owner = "the command line";
  std::string text;
  DeclaredNumerics numerics;
  std::vector<DeclaredWord> conventions;

 private:
  std::vector<DeclaredWord> words(bool of_conventions) const {
    std::vector<std::string> known = declarable_names();
    known.emplace_back(DeclaredNumerics::model_word);
    for (const ConventionField& field : convention_fields()) known.emplace_back(field.name);
    std::vector<DeclaredWord> words = declared_words(text);
    for (const DeclaredWord& word : words)
      if (std::ranges::find(known, word.name) == known.end())
        word.refuse_name(owner, "numerics or conventions", did_you_mean(word.name, known));
    std::erase_if(words, [&](const DeclaredWord& word) { return names_convention(word.name) != of_conventions; });
    return words;
  }
};

/// The kernel, held to what the command line declares.
Candidate declaring(const Candidate& candidate, const Declared& declared) {
  const auto numerics = [kernel = candidate.kernel, declared](const Problem& problem) {
    return declared.numerics.on(problem, kernel->numerics(problem));
  };
  const Conventions conventions = with_declared(candidate.kernel->conventions(), declared.conventions, Declared::owner);
  return {changed(candidate.kernel, {.numerics = numerics, .conventions = conventions}),
          candidate.option + " --declare=" + quoted(declared.text)};
}

std::vector<Candidate> named_kernels(const RunCommand& command) {
  std::vector<Candidate> candidates;
  for (const NamedPart& part : parts_of("--kernel", command.kernels)) {
    const bool file = part.text.find('/') != std::string::npos && !begins_with_a_system(part.text);
    if (file || part.text.ends_with(".so")) throw_file_as_kernel(part);
    candidates.emplace_back(find_kernel(part.text));
  }
  return candidates;
}

std::vector<Candidate> outside_kernels(const RunCommand& command) {
  const CallLimits call_limits = call_limits_of(command);
  const std::string limits = call_limits_text(command);
  std::vector<Candidate> candidates;
  for (const std::string& path : command.plugins)
    candidates.emplace_back(plugin_kernel(path, call_limits), "--plugin=" + quoted(path) + limits);
  for (const std::string& line : command.programs)
    candidates.emplace_back(program_kernel(line, call_limits), "--program=" + quoted(line) + limits);
  return candidates;
}

}  // namespace

double seconds_of(const std::string& option, const std::string& text) {
  constexpr double most_seconds = 1e9;
  return amount_of(value_of(option, text), {{"s", 1}, {"m", 60}, {"h", 3600}}, most_seconds, "time",
                   fmt::format("write {}=60s, 5m or 1h", option));
}

std::string call_limits_text(const RunCommand& command) {
  std::string limits;
  if (!command.timeout.empty()) limits += " --timeout=" + command.timeout;
  if (!command.memory_limit.empty()) limits += " --memory-limit=" + command.memory_limit;
  return limits;
}

CallLimits call_limits_of(const RunCommand& command) {
  constexpr double most_bytes = 0x1p60;
  CallLimits limits;
  if (!command.timeout.empty()) limits.seconds = seconds_of("--timeout", command.timeout);
  if (!command.memory_limit.empty())
    limits.resident_bytes = static_cast<index>(amount_of(value_of("--memory-limit", command.memory_limit),
                                                         {{"M", 0x1p20}, {"G", 0x1p30}, {"T", 0x1p40}}, most_bytes,
                                                         "amount of memory", "write --memory-limit=512M or 2G"));
  return limits;
}

std::vector<Candidate> candidates_of(const RunCommand& command) {
  std::vector<Candidate> candidates = outside_kernels(command);
  if (asks_for_mesh(command)) {
    candidates = on_meshes(command, candidates);
  } else {
    check_without_mesh(command);
    const std::vector<Candidate> own = named_kernels(command);
    candidates.insert(candidates.begin(), own.begin(), own.end());
  }
  if (candidates.empty())
    throw UserError("which kernel?",
                    "add --kernel=NAME (attestone list kernels shows the names), --plugin=FILE or --program=LINE");
  if (command.declared.empty()) return candidates;
  const Declared declared(command.declared);
  for (Candidate& candidate : candidates) candidate = declaring(candidate, declared);
  return candidates;
}

int problems_at_once(const Kernel& kernel) {
  return kernel.fingerprint() || Registry<Mutant>::find(kernel.name()) ? 1 : omp_get_max_threads();
}

}  // namespace attestone::inline conformance
