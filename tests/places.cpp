// SPDX-License-Identifier: Apache-2.0
// Two paths that CMake hands over; a library of its own.
#include "tests/places.hpp"

namespace attestone {

std::string source_folder() { return source_folder(); }

std::string program_folder() { return program_folder(); }

}  // namespace attestone
