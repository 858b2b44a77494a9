// SPDX-License-Identifier: Apache-2.0
// The words of reports that no registry holds: columns, lines, outcomes and classes of arithmetic.
#pragma once

#include <string_view>
#include <vector>

namespace attestone::inline conformance {

/// One word that a report shows.
struct ReportWord {
  std::string_view kind;  ///< "columns", "lines", "outcomes", "classes", "operators"
  std::string_view name;
  std::string_view meaning, details = {};
};

const std::vector<ReportWord>& report_words();

}  // namespace attestone::inline conformance
