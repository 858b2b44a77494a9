// SPDX-License-Identifier: Apache-2.0
// One mechanism by which dtypes, masks, scores, layouts, kernels, fills, properties, reports and mutants make
// themselves known.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/require.hpp"

namespace attestone {

/// All entries of one type, sorted by their `name`: every run visits them in the same order.
template <class Entry>
class Registry {
 public:
  static const Entry* find(std::string_view name) {
    const auto found = entries().find(name);
    return found == entries().end() ? nullptr : &found->second;
  }

  static std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const auto& [name, entry] : entries()) all.push_back(name);
    return all;
  }

  static const std::map<std::string, Entry, std::less<>>& all() { return entries(); }

 private:
  template <class>
  friend class Registration;

  static std::map<std::string, Entry, std::less<>>& entries() {
    static std::map<std::string, Entry, std::less<>> entries;
    return entries;
  }
};

/// A file adds one thing to attestone by holding one of these at namespace scope:
///
///     const Registration<MaskRule> registered{{.name = "causal", ...}};
template <class Entry>
class Registration {
 public:
  explicit Registration(Entry entry) {
    const std::string name(entry.name);
    const bool added = Registry<Entry>::entries().try_emplace(name, std::move(entry)).second;
    if (!added) throw BrokenAssumption("the name '" + name + "' is registered twice");
  }
};

/// A table of several: a file that adds things of one kind that belong together.
///
///     const Registrations<Mutant> registered{{.name = "lost_tail", ...}, {.name = "sink_per_tile", ...}};
template <class Entry>
class Registrations {
 public:
  Registrations(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) Registration<Entry>{entry};
  }
};

}  // namespace attestone
