// SPDX-License-Identifier: Apache-2.0
// Loading, calling, and looking at what the call left behind.
#include "backends/plugin/worker/runner.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <memory>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/plugin/worker/arguments.hpp"
#include "backends/plugin/worker/fault_handler.hpp"
#include "backends/plugin/worker/left_behind.hpp"

namespace attestone::worker {
namespace {

constexpr int late_writer_us = 1000;           // long enough for a thread that writes all the time
constexpr int patience_with_threads_ms = 500;  // longer than pools spin before they sleep

template <std::size_t N>
void copy_text(char (&to)[N], const char* from) {
  std::snprintf(to, N, "%s", from ? from : "");
}

template <class Function>
void look_up(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

/// The functions of a loaded library.
struct Library {
  int (*forward)(const attestone_args*) = nullptr;
  int (*backward)(const attestone_args*) = nullptr;
  std::int64_t (*workspace)(const attestone_args*) = nullptr;
  int (*describe)(attestone_description*) = nullptr;
};

/// Loads the library and fills the reply with what it says of itself, or why it cannot be used.
Library load(const char* path, wire::Reply& reply) {
  const auto unusable = [&](const char* why) {
    reply.answer = wire::Answer::not_loaded;
    copy_text(reply.texts[0], why);
    return Library{};
  };
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return unusable(dlerror());
  const std::uint32_t* version = nullptr;
  look_up(handle, "attestone_abi_version", version);
  if (!version) return unusable("it does not export attestone_abi_version: include <attestone/kernel.h>");
  if (*version != ATTESTONE_ABI_VERSION) {
    std::snprintf(reply.texts[1], sizeof reply.texts[1], "it was built for version %u of the interface, this is %u",
                  *version, ATTESTONE_ABI_VERSION);
    return unusable(reply.texts[1]);
  }
  Library library;
  look_up(handle, "attestone_forward", library.forward);
  look_up(handle, "attestone_backward", library.backward);
  look_up(handle, "attestone_workspace", library.workspace);
  look_up(handle, "attestone_describe", library.describe);
  if (!library.forward) return unusable("it does not export attestone_forward, or not as extern \"C\"");
  attestone_description description{sizeof(attestone_description), ATTESTONE_ABI_VERSION, nullptr, nullptr, nullptr};
  if (library.describe && library.describe(&description) != ATTESTONE_OK)
    return unusable("its attestone_describe answers with an error");
  reply.answer = wire::Answer::loaded;
  reply.value = (library.backward ? wire::has_backward : 0) | (library.workspace ? wire::has_workspace : 0);
  copy_text(reply.texts[0], description.name);
  copy_text(reply.texts[1], description.numerics);
  copy_text(reply.texts[2], description.limits);
  return library;
}

/// Receives one call and the descriptors of its files; false when attestone hung up.
bool receive(wire::Call& call, int files[2]) {
  iovec bytes{&call, sizeof call};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(wire::call_descriptor, &message, MSG_CMSG_CLOEXEC) != static_cast<ssize_t>(sizeof call)) return false;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_len != CMSG_LEN(2 * sizeof(int))) return false;
  std::memcpy(files, CMSG_DATA(header), 2 * sizeof(int));
  return true;
}

bool send_reply(const wire::Reply& reply) {
  return send(wire::call_descriptor, &reply, sizeof reply, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof reply);
}

void call_kernel(const Library& library, const wire::Call& call, KernelArguments& arguments, wire::Reply& reply) {
  reply.answer = wire::Answer::returned;
  try {
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

}  // namespace

int run_plugin(const char* path) {
  const pid_t self = getpid();
  // Large, and its address is used after forks that a kernel may do: not on the stack.
  const auto reply = std::make_unique<wire::Reply>();
  Mapping mapping;
  report_faults(mapping);
  const Library library = load(path, *reply);
  if (!send_reply(*reply) || !library.forward) return EXIT_SUCCESS;
  const auto call = std::make_unique<wire::Call>();
  int files[2];
  while (receive(*call, files)) {
    *reply = {};
    mapping.show(*call, files);
    for (const int file : files) close(file);
    const auto arguments = std::make_unique<KernelArguments>(*call, mapping);
    set_in_call(true);
    call_kernel(library, *call, *arguments, *reply);
    if (getpid() != self) std::_Exit(EXIT_SUCCESS);  // a child of the kernel's that returned from the call as well
    set_in_call(false);
    std::fflush(stdout);
    mapping.hide();
    if (has_other_threads()) {
      usleep(late_writer_us);
      reply->busy_threads = threads_work_for(patience_with_threads_ms);
    }
    reply->left_processes = has_living_child();
    if (!send_reply(*reply)) break;
  }
  return EXIT_SUCCESS;
}

}  // namespace attestone::worker
