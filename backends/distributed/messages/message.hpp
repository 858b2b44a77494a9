// SPDX-License-Identifier: Apache-2.0
// A message on its way from one rank to another: codes, one after the other, and their description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/distributed/messages/communicator.hpp"

namespace attestone::inline backends {

/// A message on its way.
struct Message {
  index source = 0, destination = 0;
  index sequence = 0;  ///< how many messages of this group went from source to destination before
  Signature signature;
  std::vector<std::byte> payload;
  std::uint64_t checksum = 0;  ///< of all of the above, but for where in the sources it was sent
  index number = 0;            ///< how many messages had been sent in the world before
  index request = 0;           ///< of the source: finished when the message has been received
};

/// The codes of all elements that exist, as they would lie in a packed tensor.
std::vector<std::byte> packed(std::span<const ConstView>);
void unpack(std::span<const std::byte>, std::span<const View>);
/// Codes of nothing but ones: NaN in every format that has one.
void poison(std::span<const View>);

std::uint64_t hash_of(std::span<const std::byte>, std::uint64_t seed = 0);
std::uint64_t checksum_of(const Message&);

/// True if both ends describe a message alike.
bool agree(const Signature&, const Signature&);

}  // namespace attestone::inline backends
