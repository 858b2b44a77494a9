// SPDX-License-Identifier: Apache-2.0
// Copying codes out of views and into views, row by row where a row's lie one behind the other.
#include "backends/distributed/messages/message.hpp"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <xxhash.h>

#include "reference/tensor/bits.hpp"

namespace attestone::inline backends {
namespace {

/// Calls row(batch, head, row) for every row that exists.
template <class Byte, class Visit>
void for_each_row(const BasicView<Byte>& view, Visit visit) {
  for (index batch = 0; batch < view.extents()[0]; ++batch)
    for (index head = 0; head < view.extents()[1]; ++head)
      for (index row = 0; row < view.rows(batch); ++row) visit(batch, head, row);
}

template <class Byte>
bool rows_are_stretches(const BasicView<Byte>& view) {
  return view.strides()[3] == 1 && view.dtype().storage_bits() % 8 == 0 && view.extents()[3] > 0;
}

/// Bytes that all these take together, as one tensor.
template <class Byte>
std::size_t packed_size(std::span<const BasicView<Byte>> views) {
  index bits = 0;
  for (const BasicView<Byte>& view : views)
    for_each_row(view, [&](index, index, index) { bits += view.extents()[3] * view.dtype().storage_bits(); });
  return static_cast<std::size_t>((bits + 7) / 8);
}

/// Walks through views and bytes side by side: stretch(memory, bytes) for rows in one piece, else element by element.
template <class Byte, class Packed, class Stretch, class Element>
void walk(std::span<const BasicView<Byte>> views, Packed* bytes, Stretch stretch, Element element) {
  index place = 0;  // in codes
  for (const BasicView<Byte>& view : views) {
    const index channels = view.extents()[3], bits = view.dtype().storage_bits();
    for_each_row(view, [&](index batch, index head, index row) {
      if (rows_are_stretches(view))
        stretch(view.at(batch, head, row, 0), bytes + place * bits / 8, static_cast<std::size_t>(channels * bits / 8));
      else
        for (index channel = 0; channel < channels; ++channel)
          element(view, std::array<index, 4>{batch, head, row, channel}, place + channel);
      place += channels;
    });
  }
}

}  // namespace

std::vector<std::byte> packed(std::span<const ConstView> views) {
  std::vector<std::byte> bytes(packed_size(views));
  walk(
      views, bytes.data(),
      [](const std::byte* from, std::byte* to, std::size_t count) { std::memcpy(to, from, count); },
      [&](const ConstView& view, const auto& at, index place) {
        write_code(bytes.data(), place, view.dtype().storage_bits(), view.code(at[0], at[1], at[2], at[3]));
      });
  return bytes;
}

void unpack(std::span<const std::byte> bytes, std::span<const View> views) {
  require(bytes.size() == packed_size(views), "a message fills what receives it");
  walk(
      views, bytes.data(),
      [](std::byte* to, const std::byte* from, std::size_t count) { std::memcpy(to, from, count); },
      [&](const View& view, const auto& at, index place) {
        view.set_code(at[0], at[1], at[2], at[3], read_code(bytes.data(), place, view.dtype().storage_bits()));
      });
}

void poison(std::span<const View> views) {
  const std::vector<std::byte> ones(packed_size(views), std::byte{0xFF});
  unpack(ones, views);
}

std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t checksum_of(const Message& message) {
  const Signature& says = message.signature;
  const std::string head = fmt::format("{} {} {} {} {} {} {} {}", message.source, message.destination, message.sequence,
                                       says.operation, says.group, says.number, says.dtype, says.count);
  return hash_of(message.payload, hash_of(std::as_bytes(std::span(head))));
}

bool agree(const Signature& one, const Signature& other) {
  return one.operation == other.operation && one.group == other.group && one.number == other.number &&
         one.dtype == other.dtype && one.count == other.count;
}

}  // namespace attestone::inline backends
