// SPDX-License-Identifier: Apache-2.0
// What a user named: the entry, or what was meant.
#pragma once

#include <fmt/format.h>
#include <string>

#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {

/// The entry of that name, or a UserError that says what kind of thing was meant.
template <class Entry>
const Entry& named(const std::string& name, const char* kind) {
  if (const Entry* found = Registry<Entry>::find(name)) return *found;
  throw UserError(fmt::format("unknown {} '{}'", kind, name), did_you_mean(name, Registry<Entry>::names()));
}

}  // namespace attestone
