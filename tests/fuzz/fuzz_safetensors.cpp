// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes are a file whose tensors lie within it, or a user's mistake; never anything else.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "reference/files/safetensors.hpp"
#include "reference/user_error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  try {
    const attestone::Safetensors file({bytes.begin(), bytes.end()}, "fuzzed");
    std::size_t total = 0;
    for (const auto& [name, tensor] : file.tensors()) {
      total += tensor.bytes.size();
      volatile std::byte touched{};
      for (const std::byte byte : tensor.bytes) touched = byte;  // the address sanitizer watches
      static_cast<void>(touched);
    }
    if (total >= size) std::abort();
  } catch (const attestone::UserError&) {
  }
  return 0;
}
