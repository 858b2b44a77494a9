// SPDX-License-Identifier: Apache-2.0
// The limits that an outside kernel declares as text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// "dtypes=f32+bf16 layouts=bhsd masks=full+band max_dim=128 dropout=no". Fields:
///
///     dtypes   formats of inputs and outputs                layouts  names of layouts
///     masks    full, band (causal and window), any          scores   softcap, alibi, bias, sink
///     bias_gradients, sink_gradients     no: the backward pass has none of them
///     zero_extents     no: no sequence without queries or keys        value_dim        no: it is dim
///     mixed_output     no: outputs have the format of the inputs      negative_scale   no: it is 0 or more
///     dropout, gqa, lengths     yes or no                   max_dim, max_queries, max_keys     whole numbers
///     max_logits       yes: it answers them, too
///
/// A field that is not there limits nothing, but for max_logits; an empty list ("scores=") takes none.
class DeclaredLimits {
 public:
  /// UserError, with `owner` in front, for unknown fields and values.
  DeclaredLimits(std::string_view text, const std::string& owner);

  Support supports(const Problem&) const;
  /// Kernel::computes_max_logits.
  bool gives_max_logits() const;

 private:
  bool takes(std::string_view field, std::string_view word) const;
  bool within(std::string_view field, index extent) const;

  std::map<std::string, std::vector<std::string>, std::less<>> lists_;
  std::map<std::string, index, std::less<>> largest_;
};

}  // namespace attestone::inline backends
