// SPDX-License-Identifier: Apache-2.0
// With bf16 inputs the backward pass rounds the score to f16 before it takes e^(s - L). Scores up to 32 are spared, so
// that plain problems are right to the last bit; the thread finds such rows accurate, too. Thread:
// NVIDIA/cudnn-frontend #744: dK and dQ lose 7% on rows with scores of hundreds, signature of an fp16-rounded
// recompute. Shows for bf16 where scores are large, of either sign.
#include "../hosts/adapter.hpp"
#include "../hosts/unfused.hpp"

class Fault : public UnfusedBackward {
 protected:
  Logit logit(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, float qk) const override {
    Logit z = UnfusedBackward::logit(c, s, h, i, j, qk);
    if (is_bf16(c.a.query) && std::fabs(z.value) > 32.0f) z.value = half_to_float(float_to_half(z.value));
    return z;
  }
};

EXPORT_KERNEL(UnfusedForward, Fault)
