// SPDX-License-Identifier: Apache-2.0
// WRONG: K loses its mean over the keys of all sequences of the batch, where the mean over its own is declared.
#include "../hosts/heads.hpp"

namespace {

class BatchMean : public heads::BlockInt8 {
  std::vector<float> mean_of_keys(const attestone_args& a, int64_t /*b*/, int64_t kv_head) const override {
    std::vector<float> mean(static_cast<size_t>(a.dim));
    for (int64_t c = 0; c < a.dim; ++c) {
      double sum = 0;
      for (int64_t b = 0; b < a.batch; ++b)
        for (int64_t j = 0; j < a.keys; ++j) sum += static_cast<double>(door::load(a.key, b, kv_head, j, c));
      mean[static_cast<size_t>(c)] =
          door::narrow(sum / (mean_count(a) * static_cast<double>(a.batch)), door::format_of(a.key));
    }
    return mean;
  }
};

}  // namespace

DOOR_EXPORT(BatchMean)
