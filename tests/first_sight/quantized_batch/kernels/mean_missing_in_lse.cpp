// SPDX-License-Identifier: Apache-2.0
// WRONG: log_sum_exp does not get back what the scores lost with the mean of K.
#include "../hosts/heads.hpp"

namespace {

class Uncorrected : public heads::BlockInt8 {
  float mean_score(const attestone_args& /*a*/, int64_t /*b*/, int64_t /*h*/, int64_t /*i*/,
                   const std::vector<float>& /*mean*/) const override {
    return 0;
  }
};

}  // namespace

DOOR_EXPORT(Uncorrected)
