// SPDX-License-Identifier: Apache-2.0
// Two paths that CMake hands over; a library of its own.
#include "tests/places.hpp"

namespace attestone {

std::string source_folder() { return ATTESTONE_SOURCE_DIR; }

std::string program_folder() { return ATTESTONE_PROGRAM_DIR; }

}  // namespace attestone
