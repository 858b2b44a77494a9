// SPDX-License-Identifier: Apache-2.0
// Loading, and asking what was loaded to describe itself.
#include "backends/plugins/worker/library.hpp"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <utility>

namespace attestone::inline backends::worker {
namespace {

template <class Function>
void look_up(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

Library unusable(wire::Reply& reply, const char* why) {
  reply.answer = wire::Answer::not_loaded;
  copy_text(reply.texts[0], why);
  return {};
}

/// Copies what the library says of itself; false if it says too much.
bool copy_description(const attestone_description& description, wire::Reply& reply) {
  const std::pair<const char*, const char*> all[wire::Said::count] = {{"name", description.name},
                                                                      {"numerics", description.numerics},
                                                                      {"limits", description.limits},
                                                                      {"conventions", description.conventions}};
  for (std::size_t i = 0; i < wire::Said::count; ++i) {
    const auto& [what, text] = all[i];
    const std::size_t size = text ? std::strlen(text) : 0;
    if (size >= sizeof reply.texts[i]) {
      char why[160];
      std::snprintf(why, sizeof why, "its description has %s of %zu bytes, and the most that can be carried are %zu",
                    what, size, sizeof reply.texts[i] - 1);
      unusable(reply, why);
      return false;
    }
    copy_text(reply.texts[i], text);
  }
  return true;
}

}  // namespace

void copy_text(char (&to)[sizeof wire::Reply{}.texts[0]], const char* from) {
  std::snprintf(to, sizeof to, "%s", from ? from : "");
}

Library load(const char* path, wire::Reply& reply) {
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return unusable(reply, dlerror());
  const std::uint32_t* version = nullptr;
  look_up(handle, "attestone_abi_version", version);
  if (!version) return unusable(reply, "it does not export attestone_abi_version: include <attestone/kernel.h>");
  if (*version != ATTESTONE_ABI_VERSION) {
    char why[160];
    std::snprintf(why, sizeof why, "it was built for version %u of the interface, this is %u", *version,
                  ATTESTONE_ABI_VERSION);
    return unusable(reply, why);
  }
  Library library;
  look_up(handle, "attestone_forward", library.forward);
  look_up(handle, "attestone_backward", library.backward);
  look_up(handle, "attestone_workspace", library.workspace);
  look_up(handle, "attestone_describe", library.describe);
  look_up(handle, "omp_set_num_threads", library.set_threads);
  if (!library.forward) return unusable(reply, "it does not export attestone_forward, or not as extern \"C\"");
  attestone_description description{
      sizeof(attestone_description), ATTESTONE_ABI_VERSION, nullptr, nullptr, nullptr, nullptr};
  if (library.describe && library.describe(&description) != ATTESTONE_OK)
    return unusable(reply, "its attestone_describe answers with an error");
  if (!copy_description(description, reply)) return {};
  reply.answer = wire::Answer::loaded;
  reply.value = (library.backward ? wire::has_backward : 0) | (library.workspace ? wire::has_workspace : 0);
  return library;
}

}  // namespace attestone::inline backends::worker
