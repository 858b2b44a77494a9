// SPDX-License-Identifier: Apache-2.0
// Writing safetensors.
#include "backends/plugins/program/frame.hpp"

#include <nlohmann/json.hpp>

namespace attestone::inline backends {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::byte> little_endian(std::uint64_t number) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < frame_size_bytes; ++i) bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
  return bytes;
}

}  // namespace

void Frame::add(const std::string& name, const ConstView& view, std::vector<index> shape) {
  const DType& dtype = view.dtype();
  NamedBytes tensor{name, std::string(dtype.exchange.safetensors), std::move(shape), {}};
  if (tensor.shape.empty()) tensor.shape.assign(view.extents().begin(), view.extents().end());
  index count = 0;
  for_each_element(view, [&](index b, index h, index r, index c) {
    tensor.bytes.resize(static_cast<std::size_t>(dtype.bytes(count + 1)));
    write_code(tensor.bytes.data(), count++, dtype.storage_bits(), view.code(b, h, r, c));
  });
  tensors.push_back(std::move(tensor));
}

std::vector<std::byte> Frame::bytes() const {
  Json header = Json::object();
  header["__metadata__"] = texts;
  std::size_t offset = 0;
  for (const NamedBytes& tensor : tensors) {
    const std::size_t end = offset + tensor.bytes.size();
    header[tensor.name] = {{"dtype", tensor.stored_dtype}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + frame_size_bytes - 1) / frame_size_bytes * frame_size_bytes, ' ');
  std::vector<std::byte> all = little_endian(frame_size_bytes + text.size() + offset);
  const auto append = [&](std::span<const std::byte> more) { all.insert(all.end(), more.begin(), more.end()); };
  append(little_endian(text.size()));
  append(std::as_bytes(std::span(text)));
  for (const NamedBytes& tensor : tensors) append(tensor.bytes);
  return all;
}

std::uint64_t frame_size(std::span<const std::byte, frame_size_bytes> bytes) {
  std::uint64_t size = 0;
  for (std::size_t i = frame_size_bytes; i-- > 0;) size = size << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return size;
}

}  // namespace attestone::inline backends
