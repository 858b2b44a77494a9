// SPDX-License-Identifier: Apache-2.0
// From a file to tensors: the sizes, the views into the content, the digest.
#include "reference/files/safetensors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <xxhash.h>

#include "reference/files/regular_file.hpp"
#include "reference/files/safetensors_header.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/machine_memory.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

constexpr std::size_t size_bytes = 8;  // of the number in front of the header
constexpr std::uint64_t largest_header = 100'000'000;

/// The size of the header, from the front of a file of `file_size` bytes.
std::uint64_t read_header_size(std::span<const std::byte> front, std::uint64_t file_size, const std::string& file) {
  if (file_size < size_bytes)
    throw UserError(fmt::format("{}: {} bytes are too few for a safetensors file", file, file_size));
  std::uint64_t size = 0;
  for (std::size_t i = size_bytes; i-- > 0;) size = size << 8 | std::to_integer<std::uint64_t>(front[i]);
  if (size > largest_header)
    throw UserError(
        fmt::format("{}: the header claims {} bytes, more than the {} allowed", file, size, largest_header));
  if (size > file_size - size_bytes)
    throw UserError(fmt::format("{}: the header claims {} bytes, but {} follow", file, size, file_size - size_bytes));
  return size;
}

}  // namespace

const DType* StoredTensor::dtype() const {
  for (const auto& [name, format] : Registry<DType>::all())
    if (format.exchange.safetensors == stored_dtype) return &format;
  return nullptr;
}

Safetensors::Safetensors(std::vector<std::byte> content, std::string name)
    : content_(std::make_shared<const std::vector<std::byte>>(std::move(content))), name_(std::move(name)) {
  const std::span<const std::byte> all(*content_);
  const std::uint64_t header_size = read_header_size(all, all.size(), name_);
  const std::span<const std::byte> data = all.subspan(size_bytes + header_size);
  const std::string_view text(reinterpret_cast<const char*>(all.data()) + size_bytes, header_size);
  SafetensorsHeader header = parse_safetensors_header(text, data.size(), name_);
  for (SafetensorsEntry& entry : header.entries)
    tensors_.emplace(std::move(entry.name), StoredTensor{std::move(entry.dtype), std::move(entry.shape),
                                                         data.subspan(entry.begin, entry.end - entry.begin)});
  metadata_ = std::move(header.metadata);
  digest_ = fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

const StoredTensor& Safetensors::tensor(std::string_view name) const {
  if (const auto found = tensors_.find(name); found != tensors_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, tensor] : tensors_) names.push_back(known);
  throw UserError(fmt::format("{}: there is no tensor '{}'", name_, name), did_you_mean(name, names));
}

namespace {

/// By what its header says, before anything is read that costs memory.
void check_before_reading(const std::filesystem::path& path) {
  RegularFile file(path);
  const std::string name = path.string();
  std::vector<std::byte> head(std::min<std::uint64_t>(file.size(), size_bytes));
  file.read(head);
  const std::uint64_t header_size = read_header_size(head, file.size(), name);
  std::string header(header_size, '\0');
  file.read(std::as_writable_bytes(std::span(header)));
  parse_safetensors_header(header, file.size() - size_bytes - header_size, name);
  if (const std::uint64_t memory = machine_memory(); file.size() > memory / 2)
    throw UserError(
        fmt::format("{}: {} bytes are more than half of this machine's memory, {}", name, file.size(), memory));
}

}  // namespace

Safetensors read_safetensors(const std::filesystem::path& path) {
  check_before_reading(path);
  RegularFile file(path);
  std::vector<std::byte> content(file.size());
  file.read(content);
  return Safetensors(std::move(content), path.string());
}

}  // namespace attestone
