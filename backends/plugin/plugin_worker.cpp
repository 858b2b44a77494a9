// SPDX-License-Identifier: Apache-2.0
// Sending calls, and finding words for what came instead of a reply.
#include "backends/plugin/plugin_worker.hpp"

#include <array>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/kernel_fault.hpp"
#include "backends/plugin/call_watch.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

constexpr std::size_t most_printed = 200;  // bytes that a message quotes

/// The words for a failed access to one of the call's own tensors.
KernelFault misplaced_access(const PlacedAddress& at, const wire::Reply& reply) {
  if (!reply.in_call) return {"late-write", fmt::format("touched {} after it had returned", at.tensor)};
  if (at.inside && at.input) return {"input-changed", fmt::format("wrote to {}", at.tensor)};
  const std::string where = at.distance < 0 ? fmt::format("{} bytes before {}", -at.distance, at.tensor)
                                            : fmt::format("{} bytes behind the end of {}", at.distance, at.tensor);
  return {at.input ? "out-of-bounds-read" : "out-of-bounds-write", "touched memory " + where};
}

/// The words for a process that ended; `last` is what it said of a signal.
KernelFault ending(int status, const wire::Reply* last, const CallPlan* plan) {
  if (last && plan && last->files_at[0]) {
    if (const auto at = plan->locate(last->address - last->files_at[0])) return misplaced_access(*at, *last);
  }
  if (last && !last->in_call) return {"late-write", "touched memory after it had returned: " + ending_text(status)};
  if (WIFEXITED(status)) return {"exited", "ended its process: " + ending_text(status)};
  return {"crashed", "ended by " + ending_text(status)};
}

}  // namespace

wire::Reply PluginWorker::load() {
  try {
    process_ = std::make_unique<WorkerProcess>(WorkerProcess::Kind::plugin, path_);
    const wire::Reply reply = await(nullptr);
    printed_.clear();  // greetings are no part of a call
    calls_ = 0;
    if (reply.answer == wire::Answer::loaded) return reply;
    process_.reset();
    throw UserError(fmt::format("cannot use {}: {}", path_, reply.texts[0]));
  } catch (const KernelFault& fault) {
    throw UserError(fmt::format("cannot use {}: when it was loaded, it {}", path_, fault.what()));
  }
}

void PluginWorker::send(const CallPlan& plan) {
  wire::Call call = plan.call();
  iovec bytes{&call, sizeof call};
  const int files[2] = {plan.inputs().descriptor(), plan.outputs().descriptor()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)] = {};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(header), files, sizeof files);
  // Where this fails the process has ended, and await() finds out how.
  sendmsg(process_->call(), &message, MSG_NOSIGNAL);
}

wire::Reply PluginWorker::call(CallPlan& plan) {
  if (!process_) load();
  // Twice at one address, twice at the other: a kernel that remembers by address meets old places with new data.
  plan.set_place(static_cast<int>(calls_++ / 2 % 2));
  send(plan);
  const wire::Reply reply = await(&plan);
  if (reply.answer == wire::Answer::threw) {
    process_.reset();
    throw KernelFault("crashed", fmt::format("threw: {}", reply.texts[0]));
  }
  if (reply.answer != wire::Answer::returned) {
    process_.reset();
    throw KernelFault("wrong-protocol", "sent something of its own to attestone");
  }
  throw_if_it_printed();
  const auto fault = [&](const char* reason, const char* what) {
    process_.reset();
    throw KernelFault(reason, what);
  };
  if (reply.left_processes) fault("left-process", "a process that it started still lives when it returns");
  if (reply.busy_threads) fault("left-thread", "threads that it started still work when it has returned");
  if (const std::string tensor = plan.scribbled(); !tensor.empty())
    fault("out-of-bounds-write", fmt::format("bytes just before or behind {} were changed", tensor).c_str());
  return reply;
}

bool PluginWorker::drain() {
  std::array<char, 4096> buffer;
  ssize_t got = 0;
  while ((got = read(process_->output(), buffer.data(), buffer.size())) > 0)
    printed_.append(buffer.data(), std::min(static_cast<std::size_t>(got), most_printed - printed_.size()));
  return got < 0;
}

void PluginWorker::throw_if_it_printed() {
  drain();
  if (printed_.empty()) return;
  process_.reset();
  const std::string text = std::exchange(printed_, {});
  throw KernelFault("printed", fmt::format("wrote to standard output: {}", text.substr(0, text.find('\n'))));
}

wire::Reply PluginWorker::await(const CallPlan* plan) {
  const CallWatch watch(limits_, process_->id(), plan ? plan->shared_bytes() : 0);
  pollfd events[] = {{process_->call(), POLLIN, 0}, {process_->keeper(), POLLIN, 0}, {process_->output(), POLLIN, 0}};
  std::optional<wire::Reply> signalled;
  try {
    for (;;) {
      watch.wait(events);
      if (events[2].revents && !drain()) events[2].fd = -1;
      if (events[0].revents) {
        wire::Reply reply;
        const ssize_t got = recv(process_->call(), &reply, sizeof reply, 0);
        if (got > 0 && got != static_cast<ssize_t>(sizeof reply))
          throw KernelFault("wrong-protocol", "sent something of its own to attestone");
        if (got <= 0) {
          events[0].fd = -1;  // it hung up; how it ends is still to come
        } else {
          for (auto& text : reply.texts) text[sizeof text - 1] = 0;
          if (reply.answer != wire::Answer::signalled) return reply;
          signalled = reply;
        }
      } else if (events[1].revents) {
        if (const auto status = process_->ended()) throw ending(*status, signalled ? &*signalled : nullptr, plan);
      }
    }
  } catch (const KernelFault&) {
    process_.reset();
    throw;
  }
}

}  // namespace attestone
