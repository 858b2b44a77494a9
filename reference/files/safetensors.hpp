// SPDX-License-Identifier: Apache-2.0
// Files of named tensors in the safetensors format, read strictly.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/dtypes/dtype.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// One tensor of a file: packed, row-major, little-endian. The bytes belong to the Safetensors it came from.
struct StoredTensor {
  std::string stored_dtype;  ///< as the file spells it: "F32", "BF16", "F8_E4M3", "I64", ...
  std::vector<index> shape;
  std::span<const std::byte> bytes;

  /// The attestone format of stored_dtype; null for formats that attention does not use, as I64.
  const DType* dtype() const;
};

/// The content of one file; copies share it.
///
/// Layout: u64 little-endian size of the header (at most 100 000 000), a JSON object, then the tensors without holes or
/// overlap. Anything else, duplicate keys included, is a UserError that names the file.
class Safetensors {
 public:
  /// `name` is what messages call the content.
  Safetensors(std::vector<std::byte> content, std::string name);

  /// UserError with a suggestion if the file has no tensor of that name.
  const StoredTensor& tensor(std::string_view name) const;
  const std::map<std::string, StoredTensor, std::less<>>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// XXH3-64 of the whole content, 16 hexadecimal digits: what a problem that names this file depends on.
  const std::string& digest() const { return digest_; }
  const std::string& name() const { return name_; }

 private:
  std::shared_ptr<const std::vector<std::byte>> content_;
  std::string name_, digest_;
  std::map<std::string, StoredTensor, std::less<>> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// Reads a whole file. UserError if it cannot be read or breaks a rule of the format.
Safetensors read_safetensors(const std::filesystem::path&);

}  // namespace attestone
