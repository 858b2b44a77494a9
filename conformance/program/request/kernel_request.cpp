// SPDX-License-Identifier: Apache-2.0
// Reading names of kernels.
#include "conformance/program/request/kernel_request.hpp"

#include <algorithm>

#include "conformance/program/request/named.hpp"
#include "conformance/run/kernels.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline conformance {
namespace {

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

std::vector<Candidate> read_named(const std::vector<std::string>& kernels) {
  std::vector<Candidate> candidates;
  for (const NamedPart& part : parts_of("--kernel", kernels)) {
    const bool file = part.text.find('/') != std::string::npos && !begins_with_a_system(part.text);
    if (file || part.text.ends_with(".so")) throw_file_as_kernel(part);
    candidates.emplace_back(find_kernel(part.text));
  }
  return candidates;
}

}  // namespace

KernelRequest read_kernel_request(const KernelWords& words, WorldKind world) {
  KernelRequest request;
  request.limits = read_limits(words);
  if (asks_for_mesh(words)) {
    request.mesh = read_mesh_request(words, world);
  } else {
    check_without_mesh(words);
    request.named = read_named(words.kernels);
  }
  request.plugins = words.plugins, request.programs = words.programs;
  if (!request.mesh && request.named.empty() && words.plugins.empty() && words.programs.empty())
    throw UserError("which kernel?",
                    "add --kernel=NAME (attestone list kernels shows the names), --plugin=FILE or --program=LINE");
  request.declared = read_declared(words.declared);
  return request;
}

}  // namespace attestone::inline conformance
