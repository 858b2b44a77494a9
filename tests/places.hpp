// SPDX-License-Identifier: Apache-2.0
// Where the sources and the built programs are. One file knows it, so that all others compile alike in every checkout.
#pragma once

#include <string>

namespace attestone {

/// Root of the checkout, an absolute path.
std::string source_folder();

/// Folder of the build that holds the program, `plugins/` and `hostile/`, an absolute path.
std::string program_folder();

}  // namespace attestone
