// SPDX-License-Identifier: Apache-2.0
// WRONG: the mean of K is the sum of its rows over the number of rows that whole tiles would have. (log_sum_exp gets
// back what was subtracted, so only the codes are others.)
#include "../hosts/heads.hpp"

namespace {

class PaddedCount : public heads::BlockInt8 {
  double mean_count(const attestone_args& a) const override {
    return static_cast<double>(door::ceil_div(a.keys, key_block()) * key_block());
  }
};

}  // namespace

DOOR_EXPORT(PaddedCount)
