// SPDX-License-Identifier: Apache-2.0
// What `attestone init` writes: the examples of examples/, compiled in.
#pragma once

#include <string_view>
#include <vector>

namespace attestone::inline conformance {

/// One file of a new kernel's directory.
struct TemplateFile {
  std::string_view language;  ///< "c++", "cuda", "python": a folder of examples/
  std::string_view path;      ///< relative to the directory
  std::string_view text;
};
std::vector<TemplateFile> template_files();

}  // namespace attestone::inline conformance
