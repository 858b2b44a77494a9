// SPDX-License-Identifier: Apache-2.0
// attestone answer: a kernel of the catalogue as a program behind the pipe, for other programs to ask.
#include <array>
#include <cstdio>

#include "backends/catalogue.hpp"
#include "backends/plugins/program/answering.hpp"
#include "conformance/program/commands.hpp"
#include "conformance/run/kernels.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

/// The next message, without its size; empty where standard input ends.
std::vector<std::byte> next_message() {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  std::array<std::byte, frame_size_bytes> size{};
  if (std::fread(size.data(), 1, size.size(), stdin) < size.size()) return {};
  if (frame_size(size) > most) throw UserError("standard input holds no message", "docs/plugins.md says what one is");
  std::vector<std::byte> content(frame_size(size));
  if (std::fread(content.data(), 1, content.size(), stdin) < content.size())
    throw UserError("standard input ends within a message");
  return content;
}

}  // namespace

ExitStatus answer_command(const std::string& text) {
  const SharedKernel kernel = find_kernel(text);
  const std::string known_as = Registry<KernelEntry>::find(text.substr(0, text.find(':'))) ? text : "";
  for (std::vector<std::byte> message; !(message = next_message()).empty();) {
    const Safetensors request(std::move(message), "the request");
    const std::vector<std::byte> answer = answer_to(request, *kernel, known_as).bytes();
    std::fwrite(answer.data(), 1, answer.size(), stdout);
    std::fflush(stdout);
  }
  return ExitStatus::ok;
}

}  // namespace attestone::inline conformance
