// SPDX-License-Identifier: Apache-2.0
// Operations of a program, one after the other.
#include "backends/distributed/worlds/programs/rank_conversation.hpp"

#include <charconv>
#include <fmt/format.h>
#include <map>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/program/program_answer.hpp"

namespace attestone::inline backends {
namespace {

/// A message under way, and its payload.
struct Pending {
  Request request;
  Buffer payload;
  bool comes;
};

/// The most bytes of one message.
constexpr std::uint64_t most_payload_bytes = std::uint64_t{1} << 30;
constexpr index most_elements = index{1} << 31;  // of the narrowest format, whose bytes can be counted

[[noreturn]] void throw_unclear(const std::string& what) { throw KernelFault("wrong-protocol", what); }

class Conversation {
 public:
  Conversation(Rank& rank, RankWorkers& workers)
      : rank_(rank), workers_(workers), worker_(workers.of(rank.communicator.rank())) {}
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  ~Conversation() {
    if (!ended_) worker_.restart();
  }

  /// The program's reply to a message. `operation` is empty in its answer.
  Safetensors ask(const Frame& frame) {
    Safetensors said = worker_.ask(frame, room_for_header + most_payload_bytes);
    if (const std::string error = text_of(said, "error"); !error.empty())
      throw KernelFault("error-status", "answered an error: " + error);
    if (const std::string refused = text_of(said, "refused"); !refused.empty()) throw KernelRefusal(refused);
    return said;
  }
  void end() { ended_ = true; }

  void begin(const Safetensors& said) {
    const CallSite where{workers_.lasting(text_of(said, "file")), static_cast<int>(integer(said, "line")),
                         workers_.lasting(text_of(said, "function"))};
    signature_ = rank_.communicator.begin(rank_.ring, text_of(said, "name"), where);
    begun_ = true;
  }
  Frame send(const Safetensors& said) {
    const auto found = said.tensors().find("payload");
    if (found == said.tensors().end()) throw_unclear("sends without a payload");
    const StoredTensor& tensor = found->second;
    const DType& format = format_of(tensor);
    Buffer payload(rank_.device, "sent", format, count_of(tensor.bytes.size(), format), 1, 1);
    index element = 0;
    for_each_element(payload.all(), [&](index b, index h, index row, index c) {
      payload.all().set_code(b, h, row, c, read_code(tensor.bytes.data(), element++, format.storage_bits()));
    });
    const std::vector<ConstView> views{payload.all()};
    return keep({rank_.communicator.send(rank_.ring, peer(said, "to"), begun(), views), std::move(payload), false});
  }
  Frame receive(const Safetensors& said) {
    const DType& format = format_of({text_of(said, "dtype"), {}, {}});
    const index count = integer(said, "count");
    if (count < 0 || count > most_elements || static_cast<std::uint64_t>(format.bytes(count)) > most_payload_bytes)
      throw_unclear(fmt::format("receives {} elements", count));
    Buffer payload(rank_.device, "received", format, count, 1, 1);
    const std::vector<View> views{payload.all()};
    return keep({rank_.communicator.receive(rank_.ring, peer(said, "from"), begun(), views), std::move(payload), true});
  }
  Pending take(const Safetensors& said) {
    auto under_way = pending_.extract(integer(said, "request"));
    if (!under_way) throw_unclear(fmt::format("waits for '{}', which is not under way", text_of(said, "request")));
    return std::move(under_way.mapped());
  }

 private:
  Frame keep(Pending pending) {
    Frame reply;
    reply.texts["request"] = fmt::format("{}", posted_);
    pending_.emplace(posted_++, std::move(pending));
    return reply;
  }
  const Signature& begun() const {
    if (!begun_) throw_unclear("sends or receives before any operation has begun");
    return signature_;
  }
  index peer(const Safetensors& said, const char* name) const {
    const index place = integer(said, name);
    if (place < 0 || place >= rank_.ring.size() || place == rank_.ring.place)
      throw_unclear(fmt::format("names the place '{}', of {}, and is at place {}", text_of(said, name),
                                rank_.ring.size(), rank_.ring.place));
    return place;
  }
  static index integer(const Safetensors& said, const char* name) {
    const std::string text = text_of(said, name);
    index value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size())
      throw_unclear(fmt::format("says '{}' for {}", text, name));
    return value;
  }
  static const DType& format_of(const StoredTensor& tensor) {
    const DType* format = tensor.dtype();
    if (!format) throw_unclear(fmt::format("sends or receives elements of '{}'", tensor.stored_dtype));
    return *format;
  }
  static index count_of(std::size_t bytes, const DType& format) {
    return static_cast<index>(bytes * 8 / static_cast<std::size_t>(format.storage_bits()));
  }

  Rank& rank_;
  RankWorkers& workers_;
  ProgramWorker& worker_;
  Signature signature_;
  bool begun_ = false, ended_ = false;
  std::map<index, Pending> pending_;
  index posted_ = 0;
};

}  // namespace

Task<Safetensors> converse(Rank& rank, RankWorkers& workers, Frame call) {
  Conversation program(rank, workers);
  Safetensors said = program.ask(call);
  for (std::string operation = text_of(said, "operation"); !operation.empty(); operation = text_of(said, "operation")) {
    Frame reply;
    if (operation == "begin") {
      program.begin(said);
    } else if (operation == "send") {
      reply = program.send(said);
    } else if (operation == "receive") {
      reply = program.receive(said);
    } else if (operation == "wait") {
      Pending pending = program.take(said);
      co_await pending.request;
      if (pending.comes) reply.add("payload", pending.payload.all(), {pending.payload.rows()});
    } else {
      throw_unclear(fmt::format("asks for the operation '{}': begin, send, receive, wait", operation));
    }
    said = program.ask(reply);
  }
  program.end();
  co_return said;
}

}  // namespace attestone::inline backends
