// SPDX-License-Identifier: Apache-2.0
// The seeds of a fuzz target as a text: one seed per line, sorted, each once, unusual bytes escaped.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace attestone {

/// The bytes of each seed.
using Seeds = std::set<std::string>;

/// Writes `\\` for a backslash, `\xNN` for a byte that is not printable, for a `#` at the beginning and for a space at
/// the end, and `A\{9}` for nine As; a run is abbreviated wherever that is shorter.
std::string escaped(std::string_view seed);

/// Reads a table; lines that begin with `#` are comments. Throws std::runtime_error, which names the line, unless every
/// other line is as `table_of` writes it, and when no seed is left.
Seeds seeds_of(std::string_view table);

/// Writes a table, below the comments at the top of the one that it replaces.
std::string table_of(const Seeds& seeds, std::string_view replaced);

/// The bytes of a file. Throws std::runtime_error if they cannot be read.
std::string bytes_of(const std::string& path);

}  // namespace attestone
