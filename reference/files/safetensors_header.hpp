// SPDX-License-Identifier: Apache-2.0
// The JSON header of a safetensors file: which tensors there are, and where their bytes lie.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/shape.hpp"

namespace attestone {

/// A tensor of the file, as the header describes it.
struct SafetensorsEntry {
  std::string name, dtype;
  std::vector<index> shape;
  std::uint64_t begin = 0, end = 0;  ///< in bytes, from the end of the header
};

/// A header that keeps every rule of the format.
struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  ///< in the order of their bytes, which cover the data exactly
  std::map<std::string, std::string> metadata;
};

/// Reads and checks a header whose data are `data_bytes` long; throws UserError with messages that begin with `file`.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes, const std::string& file);

}  // namespace attestone
