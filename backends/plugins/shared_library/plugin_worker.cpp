// SPDX-License-Identifier: Apache-2.0
// Sending calls, waiting for replies, and looking at what a call left behind.
#include "backends/plugins/shared_library/plugin_worker.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/process/left_behind.hpp"
#include "backends/plugins/shared_library/plugin_fault.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline backends {
namespace {

constexpr std::size_t most_printed = 200;  // bytes that a message quotes
constexpr int patience_with_return_ms =
    5000;  // between a reply and the return that it speaks of: nothing happens there

constexpr int looks_at_once = 50;  // while the worker is on its way back, a matter of microseconds

/// A number that nobody can know before it is sent.
std::uint64_t nonce() {
  static std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

bool is_power_of_two(index n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace

wire::Reply PluginWorker::load() {
  try {
    const wire::Reply reply = start();
    if (reply.answer == wire::Answer::loaded) return reply;
    process_.reset();
    throw UserError(fmt::format("cannot use {}: {}", library_->path(), reply.texts[0]));
  } catch (const KernelFault& fault) {
    throw UserError(fmt::format("cannot use {}: when it was loaded, it {}", library_->path(), fault.what()));
  }
}

wire::Reply PluginWorker::start() {
  process_ = std::make_unique<WorkerProcess>(WorkerProcess::Kind::plugin, std::filesystem::absolute(library_->path()),
                                             threads_);
  place_ = WaitingPlace(process_->id());
  signalled_.reset();
  wire::Call call;
  call.request = wire::Request::load;
  call.nonce = nonce();
  call.from_copy = !library_->file_is_unchanged();
  const CallWatch watch(limits_, *process_, 0);
  send(call, {library_->descriptor()});
  const wire::Reply reply = await(watch, call.nonce, nullptr);
  printed_.clear();  // greetings are no part of a call
  calls_ = 0;
  return reply;
}

void PluginWorker::send(const wire::Call& call, std::initializer_list<int> descriptors) const {
  wire::Call copy = call;
  iovec bytes{&copy, sizeof copy};
  const std::size_t size = descriptors.size() * sizeof(int);
  alignas(cmsghdr) char control[CMSG_SPACE(wire::shared_files * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(size);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(size);
  std::memcpy(CMSG_DATA(header), descriptors.begin(), size);
  // Where this fails the process has ended, and await() finds out how.
  sendmsg(process_->call(), &message, MSG_NOSIGNAL);
}

wire::Reply PluginWorker::call(CallPlan& plan) {
  try {
    if (!process_ && start().answer != wire::Answer::loaded)
      throw KernelFault("crashed", "could be loaded at first, and cannot be loaded again");
    ++calls_;
    plan.set_nonce(nonce());
    const CallWatch watch(limits_, *process_, plan.shared_bytes());
    send(plan.call(), {plan.inputs().descriptor(), plan.outputs().descriptor()});
    const wire::Reply reply = await(watch, plan.call().nonce, &plan);
    if (reply.answer == wire::Answer::threw) throw KernelFault("crashed", fmt::format("threw: {}", reply.texts[0]));
    if (reply.answer == wire::Answer::no_room)
      throw KernelRefusal("this machine has no addresses for tensors whose rows lie so far apart");
    if (reply.answer == wire::Answer::no_memory)
      throw KernelFault("too-much-memory", "asks for a workspace that this machine has no memory for");
    if (reply.answer != wire::Answer::returned)
      throw KernelFault("wrong-protocol", "sent something of its own to attestone");
    settle(watch, plan);
    if (reply.workspace_scribbled)
      throw KernelFault("out-of-bounds-write", "bytes just before or behind workspace were changed");
    if (reply.arguments_changed) throw KernelFault("input-changed", "wrote to its arguments, or to shapes and strides");
    if (reply.texts[1][0])
      throw KernelFault("changed-environment", fmt::format("left its caller with another state: {}", reply.texts[1]));
    return reply;
  } catch (...) {
    process_.reset();
    throw;
  }
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
  const std::string text = std::exchange(printed_, {});
  throw KernelFault("printed", fmt::format("wrote to standard output: {}", text.substr(0, text.find('\n'))));
}

std::optional<wire::Reply> PluginWorker::receive() {
  wire::Reply reply;
  const ssize_t got = recv(process_->call(), &reply, sizeof reply, 0);
  if (got <= 0) return std::nullopt;  // it hung up; how it ends is still to come
  if (got != static_cast<ssize_t>(sizeof reply))
    throw KernelFault("wrong-protocol", "sent something of its own to attestone");
  for (auto& text : reply.texts) text[sizeof text - 1] = 0;
  return reply;
}

void PluginWorker::hear_of_the_end(const CallPlan* plan) {
  while (const auto reply = receive())
    if (reply->answer == wire::Answer::signalled) signalled_ = reply;
  if (const auto status = process_->ended()) throw fault_of_ending(*status, signalled_ ? &*signalled_ : nullptr, plan);
}

wire::Reply PluginWorker::await(const CallWatch& watch, std::uint64_t nonce, const CallPlan* plan) {
  pollfd events[] = {{process_->call(), POLLIN, 0}, {process_->keeper(), POLLIN, 0}, {process_->output(), POLLIN, 0}};
  try {
    for (;;) {
      watch.wait(events);
      if (events[2].revents && !drain()) events[2].fd = -1;
      if (events[0].revents) {
        const auto reply = receive();
        if (!reply)
          events[0].fd = -1;
        else if (reply->answer == wire::Answer::signalled)
          signalled_ = reply;
        else if (reply->nonce != nonce)
          throw KernelFault("wrong-protocol", "sent a reply of its own to attestone");
        else
          return *reply;
      } else if (events[1].revents) {
        hear_of_the_end(plan);
      }
    }
  } catch (const KernelFault&) {
    process_.reset();
    throw;
  }
}

void PluginWorker::settle(const CallWatch& watch, const CallPlan& plan) {
  pollfd ended{process_->keeper(), POLLIN, 0};
  const auto wait = [&](int milliseconds) {
    if (watch.wait(std::span(&ended, 1), milliseconds)) hear_of_the_end(&plan);
  };
  for (int looks = 0; !place_.is_there(); ++looks) {
    if (looks == looks_at_once + patience_with_return_ms)
      throw KernelFault("wrong-protocol", "sent a reply of its own to attestone, and did not return");
    looks < looks_at_once ? static_cast<void>(sched_yield()) : wait(1);
  }
  const std::uint64_t answers = plan.digest_of_answers();  // whoever is still at work must not change them
  throw_if_it_printed();
  if (leaves_process(process_->all().front(), process_->all(), wait))
    throw KernelFault("left-process", "a process that it started still lives when it returns");
  if (leaves_thread(process_->id(), is_power_of_two(calls_), wait))
    throw KernelFault("left-thread", "threads that it started still work when it has returned");
  if (plan.digest_of_answers() != answers)
    throw KernelFault("late-write", "a process that it started went on writing its answers when it had returned");
  uses_attestone_ = uses_attestone_ || process_->maps_own_library();
  // The reply was the worker's last word: whatever else there is comes from the kernel.
  while (const auto more = receive()) {
    if (more->answer != wire::Answer::signalled)
      throw KernelFault("wrong-protocol", "sent a reply of its own to attestone");
    signalled_ = more;
  }
  if (signalled_)  // of a child, or of a process that survived it
    if (const auto fault = misplaced_access(*signalled_, plan)) throw *fault;
  if (const std::string tensor = plan.scribbled(); !tensor.empty())
    throw KernelFault("out-of-bounds-write", fmt::format("bytes just before or behind {} were changed", tensor));
}

}  // namespace attestone::inline backends
