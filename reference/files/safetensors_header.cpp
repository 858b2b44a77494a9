// SPDX-License-Identifier: Apache-2.0
// Reading the header and holding it to every rule: no unknown fields, no duplicates, no holes, no overlap.
#include "reference/files/safetensors_header.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "reference/user_error.hpp"

namespace attestone {
namespace {

using Json = nlohmann::json;

// Bits of one element. Formats below a byte are packed, and only whole bytes of them are legal.
const std::map<std::string, std::uint64_t> element_bits{
    {"BOOL", 8},    {"U8", 8},      {"I8", 8},   {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F8_E5M2", 8},
    {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16}, {"U16", 16}, {"F16", 16},    {"BF16", 16},   {"I32", 32},
    {"U32", 32},    {"F32", 32},    {"C64", 64}, {"I64", 64}, {"U64", 64},    {"F64", 64}};

// A header nests an object of objects of lists; anything deeper is refused before it costs memory.
constexpr int deepest = 3;
// No tensor is larger: its size in bits then fits 64 bits.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 56;

/// An error in the header, without the name of the file.
struct Wrong {
  std::string message;
};

/// Parses JSON; unlike the library by itself, refuses zero bytes, and objects in which a key occurs twice.
Json parse_without_duplicates(std::string_view text) {
  // The library takes a zero byte for the end of the text and would not see what follows.
  if (text.find('\0') != std::string_view::npos) throw Wrong{"the header is no JSON: it holds a zero byte"};
  std::vector<std::set<std::string>> open;
  const auto watch = [&open](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > deepest) throw Wrong{"the header is nested too deeply"};
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      throw Wrong{"the header has the key " + parsed.dump() + " twice"};
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    throw Wrong{std::string("the header is no JSON: ") + error.what()};
  }
}

std::uint64_t unsigned_number(const Json& json, const std::string& what) {
  if (!json.is_number_unsigned()) throw Wrong{what + " is no whole number from 0 on"};
  return json.get<std::uint64_t>();
}

std::vector<index> read_shape(const Json& json, const std::string& tensor) {
  if (!json.is_array()) throw Wrong{"the shape of " + tensor + " is no list"};
  std::vector<index> shape;
  std::uint64_t elements = 1;
  for (const Json& item : json) {
    const std::uint64_t extent = unsigned_number(item, "an extent of " + tensor);
    if (extent > most_elements || (extent != 0 && elements > most_elements / extent))
      throw Wrong{tensor + " has more than 2^56 elements"};
    elements *= extent;
    shape.push_back(static_cast<index>(extent));
  }
  return shape;
}

void check_size(const SafetensorsEntry& entry, const std::string& tensor) {
  const auto bits = element_bits.find(entry.dtype);
  if (bits == element_bits.end()) throw Wrong{tensor + " has the unknown dtype '" + entry.dtype + "'"};
  std::uint64_t needed = bits->second;
  for (const index extent : entry.shape) needed *= static_cast<std::uint64_t>(extent);
  const std::uint64_t byte = 8;
  if (needed % byte != 0) throw Wrong{tensor + " ends within a byte"};
  if (entry.end - entry.begin != needed / byte)
    throw Wrong{fmt::format("{} has {} bytes, but its dtype and shape need {}", tensor, entry.end - entry.begin,
                            needed / byte)};
}

SafetensorsEntry read_entry(const std::string& name, const Json& json) {
  const std::string tensor = "tensor " + Json(name).dump();
  const bool has_all =
      json.is_object() && json.contains("dtype") && json.contains("shape") && json.contains("data_offsets");
  if (!has_all || json.size() != 3) throw Wrong{tensor + " has other fields than dtype, shape and data_offsets"};
  const Json& offsets = json["data_offsets"];
  if (!json["dtype"].is_string()) throw Wrong{"the dtype of " + tensor + " is no string"};
  if (!offsets.is_array() || offsets.size() != 2) throw Wrong{"data_offsets of " + tensor + " are no two numbers"};
  SafetensorsEntry entry{name, json["dtype"].get<std::string>(), read_shape(json["shape"], tensor),
                         unsigned_number(offsets[0], "an offset of " + tensor),
                         unsigned_number(offsets[1], "an offset of " + tensor)};
  if (entry.begin > entry.end) throw Wrong{tensor + " ends before it begins"};
  check_size(entry, tensor);
  return entry;
}

std::map<std::string, std::string> read_metadata(const Json& json) {
  if (!json.is_object()) throw Wrong{"__metadata__ is no object"};
  std::map<std::string, std::string> metadata;
  for (const auto& item : json.items()) {
    if (!item.value().is_string()) throw Wrong{"__metadata__ holds something that is no string"};
    metadata.emplace(item.key(), item.value().get<std::string>());
  }
  return metadata;
}

/// Puts the entries in the order of their bytes, and refuses holes, overlap and a wrong end.
void check_cover(std::vector<SafetensorsEntry>& entries, std::uint64_t data_bytes) {
  std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::uint64_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    const std::string tensor = "tensor " + Json(entry.name).dump();
    if (entry.begin < covered) throw Wrong{tensor + " overlaps the one before it"};
    if (entry.begin > covered) throw Wrong{"there is a hole in front of " + tensor};
    covered = entry.end;
  }
  if (covered != data_bytes)
    throw Wrong{fmt::format("the tensors take {} bytes, but the file holds {}", covered, data_bytes)};
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_bytes, const std::string& file) {
  try {
    if (!text.starts_with('{')) throw Wrong{"the header does not begin with '{'"};
    const Json json = parse_without_duplicates(text);
    SafetensorsHeader header;
    for (const auto& item : json.items()) {
      if (item.key() == "__metadata__")
        header.metadata = read_metadata(item.value());
      else
        header.entries.push_back(read_entry(item.key(), item.value()));
    }
    check_cover(header.entries, data_bytes);
    return header;
  } catch (const Wrong& wrong) {
    throw UserError(file + ": " + wrong.message);
  }
}

}  // namespace attestone
