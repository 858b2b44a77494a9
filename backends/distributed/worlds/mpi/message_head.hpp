// SPDX-License-Identifier: Apache-2.0
// The head before a message's payload: its whole description, in a fixed number of bytes.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "backends/distributed/messages/message.hpp"

namespace attestone::inline backends {

/// Names that are longer are cut.
struct MessageHead {
  std::int64_t sequence, number, count, request, sent_before;
  std::uint64_t checksum;
  std::int32_t line;
  char operation[64], group[64], dtype[32], file[160], function[80];
};

MessageHead head_of(const Message&);
/// The message without its payload; names of places stay in `places`.
Message message_of(const MessageHead&, index source, index destination, std::set<std::string>& places);
/// So many bytes as MPI counts them. KernelFault for more than one message can have.
int mpi_count(std::size_t bytes);
/// How many bytes of payload follow.
index payload_bytes(const Message&);
/// The payload's tag, which tells it from others that are under way between the same two ranks; 0 is that of heads.
int payload_tag(const Message&);

}  // namespace attestone::inline backends
