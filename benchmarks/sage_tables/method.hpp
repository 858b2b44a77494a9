// SPDX-License-Identifier: Apache-2.0
// Attention in which Q, K, P and V are codes, and all else is exact: what a choice of codes costs by itself.
#pragma once

#include <string_view>
#include <vector>

#include "reference/numerics/operand_codes.hpp"

namespace attestone {

/// One head: [rows, dim] numbers of f16.
struct HeadRows {
  index queries, keys, dim;
  std::vector<double> query, key, value;
};

/// The codes of the weights of a row whose largest weight is 1. With `together`, that many neighbours share a scale,
/// their largest over that of the format.
struct WeightCodes {
  std::string_view format = {};  ///< empty: none
  double raised = 1;             ///< weights are multiplied by it first
  index together = 0;
  std::string_view scale_format = {};
};

/// A choice of codes.
struct Method {
  OperandCodes query = {}, key = {};
  WeightCodes weight = {};
  OperandCodes value = {};
  std::string_view value_format = {};  ///< the format to which V is cast, if it has no codes; empty: none
  /// Channels of Q are multiplied by the root of max |K| / max |Q|, and those of K divided by it (SmoothQuant, arXiv
  /// 2211.10438, equation 4, with alpha 1/2).
  bool equalised = false;
};

/// O of the method: [queries, dim].
std::vector<double> answer(const Method&, const HeadRows&);

/// How far an answer is from the exact one (SageAttention, arXiv 2410.02367, section 4.3).
struct Accuracy {
  double cosine = 0;       ///< of both as vectors
  double relative_l1 = 0;  ///< sum |O - O'| / sum |O|
  double rmse = 0;
};
Accuracy accuracy(const std::vector<double>& exact, const std::vector<double>& answer);

}  // namespace attestone
