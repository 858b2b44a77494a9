// SPDX-License-Identifier: Apache-2.0
// Writing safetensors.
#include "backends/doors/pipe/frame.hpp"

#include <nlohmann/json.hpp>

namespace attestone {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::byte> little_endian(std::uint64_t number) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < frame_size_bytes; ++i) bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
  return bytes;
}

}  // namespace

std::string stored_name(const DType& dtype) {
  static const std::map<std::string_view, std::string> names{
      {"f64", "F64"}, {"f32", "F32"}, {"f16", "F16"}, {"bf16", "BF16"}, {"e4m3", "F8_E4M3"}, {"e5m2", "F8_E5M2"}};
  const auto name = names.find(dtype.name);
  return name == names.end() ? "" : name->second;
}

void Frame::add(const std::string& name, const ConstView& view, std::vector<index> shape) {
  NamedBytes tensor{name, stored_name(view.dtype()), std::move(shape), {}};
  if (tensor.shape.empty()) tensor.shape.assign(view.extents().begin(), view.extents().end());
  for_each_element(view, [&](index b, index h, index r, index c) {
    const std::byte* const element = view.at(b, h, r, c);
    tensor.bytes.insert(tensor.bytes.end(), element, element + view.dtype().bytes());
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

}  // namespace attestone
