// SPDX-License-Identifier: Apache-2.0
// The outputs of the parts are divided by their sums and rounded to the input format before the second kernel merges
// them. vllm-project/vllm-xpu-kernels pull request 204 ("divide-multiply roundtrip"). Shows in bf16 and f16 on the
// split route: clearly with a wider output, or where the parts cancel each other.
#include "../hosts/fused_backward.hpp"
#include "../hosts/split_forward.hpp"

class Fault : public SplitForward {
 protected:
  void close(Part& part, int64_t splits) const override {
    SplitForward::close(part, splits);
    if (splits > 1)
      for (float& x : part.o) x = rounded(x, call->input);
  }
};

KERNEL(Fault, FusedBackward)
