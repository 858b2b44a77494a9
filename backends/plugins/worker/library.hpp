// SPDX-License-Identifier: Apache-2.0
// The library in which a kernel lives, and its functions.
#pragma once

#include "backends/plugins/protocol/kernel.h"
#include "backends/plugins/protocol/wire.hpp"

namespace attestone::inline backends::worker {

/// The functions of a loaded library.
struct Library {
  int (*forward)(const attestone_args*) = nullptr;
  int (*backward)(const attestone_args*) = nullptr;
  std::int64_t (*workspace)(const attestone_args*) = nullptr;
  int (*describe)(attestone_description*) = nullptr;
  void (*set_threads)(int) = nullptr;  ///< OpenMP's, if the library uses one
};

/// Loads the library and fills the reply with what it says of itself, or why it cannot be used; then `forward` is null.
Library load(const char* path, wire::Reply&);

/// Copies a text that may be null, as much of it as there is room for.
void copy_text(char (&to)[sizeof wire::Reply{}.texts[0]], const char* from);

}  // namespace attestone::inline backends::worker
