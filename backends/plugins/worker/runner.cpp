// SPDX-License-Identifier: Apache-2.0
// Loading, then calling, and taking the tensors away.
#include "backends/plugins/worker/runner.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/plugins/worker/arguments.hpp"
#include "backends/plugins/worker/environment.hpp"
#include "backends/plugins/worker/fault_handler.hpp"
#include "backends/plugins/worker/library.hpp"
#include "backends/plugins/worker/system_call.hpp"

namespace attestone::inline backends::worker {
namespace {

/// Receives one call and its descriptors, -1 where there is none; false when attestone hung up. Waits by the worker's
/// own call: attestone looks whether the thread is back at that very place
/// (backends/plugins/process/waiting_place.hpp).
bool receive(wire::Call& call, int (&files)[wire::shared_files]) {
  iovec bytes{&call, sizeof call};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)] = {};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  long got = 0;
  do {
    message.msg_controllen = sizeof control;
    got = system_call(SYS_recvmsg, wire::call_descriptor, as_argument(&message), MSG_CMSG_CLOEXEC);
  } while (got == -EINTR);
  if (got != static_cast<long>(sizeof call)) return false;
  for (int& file : files) file = -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_len <= CMSG_LEN(sizeof files))
    std::memcpy(files, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
  return true;
}

void close_all(const int (&files)[wire::shared_files]) {
  for (const int file : files)
    if (file >= 0) close(file);
}

bool send_reply(const wire::Reply& reply) {
  return send(wire::call_descriptor, &reply, sizeof reply, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof reply);
}

Library load_what_is_asked(const char* path, const wire::Call& call, const int (&files)[wire::shared_files],
                           wire::Reply& reply) {
  const std::string copy = "/proc/self/fd/" + std::to_string(files[0]);
  const Library library = load(call.from_copy ? copy.c_str() : path, reply);
  close_all(files);
  return library;
}

void call_kernel(const Library& library, const wire::Call& call, KernelArguments& arguments, wire::Reply& reply) {
  reply.answer = wire::Answer::returned;
  try {
    if (library.set_threads && call.threads > 0) library.set_threads(call.threads);
    switch (call.request) {
      case wire::Request::workspace:
        if (library.workspace) reply.value = library.workspace(arguments.get());
        break;
      case wire::Request::forward:
        reply.status = library.forward(arguments.get());
        break;
      case wire::Request::backward:
        reply.status = library.backward(arguments.get());
        break;
      case wire::Request::load:
        break;
    }
    copy_text(reply.texts[0], arguments.message());
  } catch (const std::exception& error) {
    reply.answer = wire::Answer::threw;
    copy_text(reply.texts[0], error.what());
  } catch (...) {
    reply.answer = wire::Answer::threw;
    copy_text(reply.texts[0], "something that is no std::exception");
  }
}

/// One call, from showing the tensors to hiding them.
void answer(const Library& library, const wire::Call& call, const int (&files)[wire::shared_files], Mapping& mapping,
            wire::Reply& reply) {
  const pid_t self = getpid();
  const Environment before = Environment::now();
  const Mapping::Shown shown = mapping.show(call, files);
  close_all(files);
  if (shown == Mapping::Shown::all) {
    const auto arguments = std::make_unique<KernelArguments>(call, mapping);
    set_phase(wire::Phase::calling);
    call_kernel(library, call, *arguments, reply);
    if (getpid() != self) std::_Exit(EXIT_SUCCESS);  // a child of the kernel's that returned from the call as well
    set_phase(wire::Phase::idle);
    std::fflush(stdout);
    copy_text(reply.texts[1], before.difference(Environment::now()));
    reply.arguments_changed = !arguments->intact();
    reply.workspace_scribbled = !mapping.workspace_intact();
  } else {
    reply.answer = shown == Mapping::Shown::no_room ? wire::Answer::no_room : wire::Answer::no_memory;
  }
  mapping.hide();
}

}  // namespace

int run_plugin(const char* path, const std::function<void(const std::byte*, const std::byte*)>& begin) {
  // Large, and their addresses are used after forks that a kernel may do: not on the stack.
  const auto reply = std::make_unique<wire::Reply>();
  const auto call = std::make_unique<wire::Call>();
  Mapping mapping;
  report_faults(mapping);
  begin(mapping.lies_apart() ? mapping.begin() : nullptr, mapping.end());
  Library library;
  int files[wire::shared_files];
  while (receive(*call, files)) {
    *reply = {};
    if (call->request == wire::Request::load)
      library = load_what_is_asked(path, *call, files, *reply);
    else
      answer(library, *call, files, mapping, *reply);
    set_phase(wire::Phase::idle);
    reply->nonce = call->nonce;
    if (!send_reply(*reply)) break;
  }
  return EXIT_SUCCESS;
}

}  // namespace attestone::inline backends::worker
