// SPDX-License-Identifier: Apache-2.0
// Names that a user wrote: finds the entry, or suggests one.
#pragma once

#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {

/// A part of an option's value, with the option as it was written around it.
struct NamedPart {
  std::string text;
  Place place;
};

/// The values of an option, split at their commas. UserError for an empty part.
inline std::vector<NamedPart> parts_of(const std::string& option, std::span<const std::string> values) {
  std::vector<NamedPart> parts;
  for (const std::string& value : values) {
    const std::string written = option + "=" + value;
    for (std::size_t begin = option.size() + 1; begin <= written.size();) {
      const std::size_t end = std::min(written.find(',', begin), written.size());
      parts.push_back({written.substr(begin, end - begin), {written, begin, end - begin}});
      if (begin == end) throw UserError("a name in a list is empty", parts.back().place);
      begin = end + 1;
    }
  }
  return parts;
}

/// The only value of an option.
inline NamedPart value_of(const std::string& option, const std::string& value) {
  return {value, {option + "=" + value, option.size() + 1, value.size()}};
}

/// The entry of that name, or a UserError that says what kind of thing was meant.
template <class Entry>
const Entry& named(const NamedPart& part, const char* kind) {
  if (const Entry* found = Registry<Entry>::find(part.text)) return *found;
  throw UserError(fmt::format("unknown {} '{}'", kind, part.text), part.place,
                  did_you_mean(part.text, Registry<Entry>::names()));
}

}  // namespace attestone::inline conformance
