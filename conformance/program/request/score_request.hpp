// SPDX-License-Identifier: Apache-2.0
// The request of `attestone score`, read from its words once, before any work.
#pragma once

#include <string>

#include "conformance/program/request/option_words.hpp"
#include "conformance/rival_rules/formats/matrix_format.hpp"
#include "conformance/rival_rules/kill_matrix.hpp"

namespace attestone::inline conformance {

/// Nothing in it is text that is still to be read.
struct ScoreRequest {
  MatrixOptions options;
  std::string report_directory;  ///< empty: none
  const MatrixFormat* format = nullptr;
};

/// UserError for every mistake that the words hold.
ScoreRequest read_score_request(const ScoreWords&);

}  // namespace attestone::inline conformance
