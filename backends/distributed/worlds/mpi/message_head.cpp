// SPDX-License-Identifier: Apache-2.0
// Cutting words, and putting them together again.
#include "backends/distributed/worlds/mpi/message_head.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "backends/kernel_fault.hpp"

namespace attestone::inline backends {
namespace {

template <std::size_t size>
void put(char (&room)[size], std::string_view word) {
  const std::size_t length = std::min(word.size(), size - 1);
  std::memcpy(room, word.data(), length);
  std::memset(room + length, 0, size - length);
}

/// The end of a path says more than its begin.
std::string_view end_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

MessageHead head_of(const Message& message) {
  const Signature& says = message.signature;
  MessageHead head{};
  head.sequence = message.sequence, head.number = says.number, head.count = says.count;
  head.request = message.request, head.sent_before = message.number, head.checksum = message.checksum;
  head.line = says.where.line;
  put(head.operation, says.operation);
  put(head.group, says.group);
  put(head.dtype, says.dtype);
  put(head.file, end_of(says.where.file));
  put(head.function, says.where.function);
  return head;
}

Message message_of(const MessageHead& head, index source, index destination, std::set<std::string>& places) {
  const auto kept = [&](const char* place) { return places.insert(place).first->c_str(); };
  Message message;
  message.source = source, message.destination = destination, message.sequence = head.sequence;
  message.signature = {head.operation, head.group, head.number,
                       head.dtype,     head.count, {kept(head.file), head.line, kept(head.function)}};
  message.checksum = head.checksum, message.number = head.sent_before, message.request = head.request;
  return message;
}

int mpi_count(std::size_t bytes) {
  if (bytes > std::numeric_limits<int>::max()) throw KernelFault("broken-rule", "a message of MPI has less than 2 GiB");
  return static_cast<int>(bytes);
}

index payload_bytes(const Message& message) {
  return message.signature.dtype.empty() ? 0 : dtype(message.signature.dtype).bytes(message.signature.count);
}

int payload_tag(const Message& message) {
  constexpr index tags = 32'000;  // every MPI has 32,767 of them
  return static_cast<int>(1 + message.number % tags);
}

}  // namespace attestone::inline backends
