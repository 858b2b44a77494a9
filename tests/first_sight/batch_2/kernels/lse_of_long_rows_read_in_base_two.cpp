// SPDX-License-Identifier: Apache-2.0
// Beyond 256 keys the backward pass takes log_sum_exp, which is natural, for one in base 2.
// Thread: meta-pytorch/attention-gym #200: the merged (natural) LSE reaches the backward of another backend, which
// wants log2 units. Shows in all gradients for sequences of more than 256 keys.
#include "../hosts/adapter.hpp"
#include "../hosts/unfused.hpp"

class Fault : public UnfusedBackward {
 protected:
  float row_lse(const Call& c, const Sequence& s, index_t h, index_t i) const override {
    return UnfusedBackward::row_lse(c, s, h, i) * (s.keys > 256 ? 0.6931471805599453f : 1.0f);
  }
};

EXPORT_KERNEL(UnfusedForward, Fault)
