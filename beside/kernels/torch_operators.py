# SPDX-License-Identifier: Apache-2.0
"""torch's fused attention operators, which answer log_sum_exp: flash on a CPU; flash, efficient and cudnn on a GPU."""
import torch

from kernels.torch_tensors import array, tensor
from pipe import Refused

PACKAGE = "torch"
VARIANTS = ("flash", "efficient", "cudnn")
aten = torch.ops.aten
CAST_WEIGHTS = {"f16": "gradient.weight.roundoff=0x1p-11 gradient.weight.underflow=0x1p-25",
                "bf16": "gradient.weight.roundoff=0x1p-8 gradient.weight.underflow=0x1p-126"}


class Kernel:
    numerics = ""

    def __init__(self, variant, dtype, device):
        self.variant, self.device = variant, device
        if device == "cpu" and variant != "flash":
            raise ValueError(f"{variant} is for GPUs")
        if device == "cuda" and variant != "efficient" and dtype == "f32":
            raise ValueError(f"{variant} has no f32 on a GPU")
        self.operator = getattr(self, f"{variant}_on_{device}")
        takes_bias = device == "cpu" or variant == "efficient"
        self.limits = "scores=bias bias_gradients=no" if takes_bias else "scores= masks=full+band lengths=no"
        # Of rows without keys flash answers +inf on a GPU and 0 on a CPU, efficient 0.
        self.conventions = "empty_rows=undefined hidden_nonfinite=propagates"
        if device == "cpu":
            self.numerics = "exp_error=0x1.4p-19"  # Sleef's exponential of 20 ulp
        elif variant == "efficient" and dtype in CAST_WEIGHTS:
            self.numerics = CAST_WEIGHTS[dtype]  # one tile of them serves dV and dS

    def shared(self, call, part):
        """Heads of K or V, as many as query has."""
        part = tensor(part, self.device)
        return part if call.group == 1 else part.repeat_interleave(call.group, dim=1)

    def inputs(self, call):
        if call.is_empty:
            raise Refused("nothing is empty")
        if self.device == "cpu":
            torch.set_num_threads(call.threads)
        elif call.dim % 8 or call.value_dim % 8:
            raise Refused("channels come by eights")
        if call.dim != call.value_dim and self.variant != "efficient":
            raise Refused("value has as many channels as key")
        return tensor(call.query, self.device), self.shared(call, call.key), self.shared(call, call.value)

    def added(self, call):
        """Mask and bias, in rows of memory that begin at multiples of 16 elements, as efficient asks."""
        added = call.added(-float("inf"))
        if added is None:
            return None
        added = tensor(added, self.device).expand(call.batch, call.heads, call.queries, call.keys)
        room = torch.zeros(*added.shape[:3], -(-call.keys // 16) * 16, dtype=added.dtype, device=self.device)
        room[..., :call.keys] = added
        return room[..., :call.keys]

    def forward(self, call):
        out, log_sum_exp, _ = self.operator(call, *self.inputs(call))
        return {"out": array(out), "log_sum_exp": array(log_sum_exp[:, :, :call.queries].float())}

    def backward(self, call):
        if call.group > 1:
            raise Refused("the operator's backward pass does not add up the heads that share keys")
        _, _, pull = self.operator(call, *self.inputs(call))
        return dict(zip(("dquery", "dkey", "dvalue"), map(array, pull()[:3])))

    def answered(self, call):
        """dout, and the kernel's own answer."""
        return [tensor(part, self.device) for part in (call.dout, call.out, call.log_sum_exp)]

    def flash_on_cpu(self, call, query, key, value):
        how = {"attn_mask": self.added(call), "scale": call.scale}
        causal = call.is_square_causal
        out, log_sum_exp = aten._scaled_dot_product_flash_attention_for_cpu(query, key, value, 0.0, causal, **how)

        def pull():
            dout, out, log_sum_exp = self.answered(call)
            return aten._scaled_dot_product_flash_attention_for_cpu_backward(
                dout, query, key, value, out, log_sum_exp, 0.0, causal, **how)

        return out, log_sum_exp, pull

    def flash_on_cuda(self, call, query, key, value):
        call.refuse_masks_but_causal()
        causal = call.is_square_causal
        out, log_sum_exp, *rest = aten._scaled_dot_product_flash_attention(query, key, value, 0.0, causal, scale=call.scale)

        def pull():
            dout, out, log_sum_exp = self.answered(call)
            return aten._scaled_dot_product_flash_attention_backward(
                dout, query, key, value, out, log_sum_exp, *rest[:4], 0.0, causal, *rest[4:6], scale=call.scale)

        return out, log_sum_exp, pull

    def efficient_on_cuda(self, call, query, key, value):
        added, causal = self.added(call), call.is_square_causal
        answer = aten._scaled_dot_product_efficient_attention(query, key, value, added, True, 0.0, causal, scale=call.scale)

        def pull():
            # log_sum_exp has rows of its own beyond the queries: it comes from this call, not from the judge.
            return aten._scaled_dot_product_efficient_attention_backward(
                tensor(call.dout, self.device), query, key, value, added, *answer, 0.0, [True, True, True, False], causal,
                scale=call.scale)

        return answer[0], answer[1], pull

    def cudnn_on_cuda(self, call, query, key, value):
        call.refuse_masks_but_causal()
        causal = call.is_square_causal
        out, log_sum_exp, *rest = aten._scaled_dot_product_cudnn_attention(
            query, key, value, None, True, 0.0, causal, False, scale=call.scale)

        def pull():
            dout, out, log_sum_exp = self.answered(call)
            return aten._scaled_dot_product_cudnn_attention_backward(
                dout, query, key, value, out, log_sum_exp[..., None], rest[4], rest[5], None, *rest[:4], 0.0, causal,
                scale=call.scale)

        return out, log_sum_exp.reshape(call.query.shape[:3]), pull
