# SPDX-License-Identifier: Apache-2.0
"""What a rank computes by itself: torch's flash attention for CPUs, under the names that distributed code calls on a GPU.

The libraries beside which we stand are about what passes between devices; the kernel on one device is another project's and
needs a GPU. Here it is torch's own for CPUs, with the contract of the one that is missing: FlashAttention's functions, and
`aten::_scaled_dot_product_flash_attention`. It computes in f32 and rounds its answers: in bf16, torch's log_sum_exp is off by
5e-5.
"""
import functools
import sys
import types

import torch

aten = torch.ops.aten


def forward(query, key, value, causal, scale):
    """out and log_sum_exp of [batch, heads, rows, dim]; kv heads may be fewer."""
    group = query.shape[1] // key.shape[1]
    key, value = (part.repeat_interleave(group, dim=1) for part in (key, value))
    out, log_sum_exp = aten._scaled_dot_product_flash_attention_for_cpu(
        *(part.float().contiguous() for part in (query, key, value)), 0.0, causal, scale=scale)
    return out.contiguous().to(query.dtype), log_sum_exp.contiguous()


def backward(dout, query, key, value, out, log_sum_exp, causal, scale):
    """Gradients of query, key and value."""
    batch, kv_heads, keys, dim = key.shape
    if query.shape[1] % kv_heads != 0:
        raise RuntimeError("the number of heads of key and value must divide that of query")  # as the GPU's kernel asks
    group = query.shape[1] // kv_heads
    key, value = (part.repeat_interleave(group, dim=1) for part in (key, value))
    dquery, dkey, dvalue = aten._scaled_dot_product_flash_attention_for_cpu_backward(
        *(part.float().contiguous() for part in (dout, query, key, value, out, log_sum_exp)), 0.0, causal, scale=scale)
    dkey, dvalue = (part.reshape(batch, kv_heads, group, keys, dim).sum(dim=2) for part in (dkey, dvalue))
    return tuple(gradient.to(query.dtype) for gradient in (dquery, dkey, dvalue))


def rows_first(*parts):
    """[batch, heads, rows, dim] of FlashAttention's [batch, rows, heads, dim], and back."""
    return tuple(part.transpose(1, 2) for part in parts)


def flash_attn_forward(q, k, v, dropout_p, softmax_scale, causal, window_size_left, window_size_right, softcap=0.0,
                       alibi_slopes=None, return_softmax=False):
    """FlashAttention's _flash_attn_forward."""
    refuse_more(q, k, causal, window_size_left, window_size_right, softcap, alibi_slopes)
    out, log_sum_exp = forward(*rows_first(q, k, v), causal, softmax_scale)
    return *rows_first(out), log_sum_exp, None, torch.zeros(2, dtype=torch.int64)


def flash_attn_backward(dout, q, k, v, out, softmax_lse, dq, dk, dv, dropout_p, softmax_scale, causal, window_size_left,
                        window_size_right, softcap=0.0, alibi_slopes=None, deterministic=False, rng_state=None):
    """FlashAttention's _flash_attn_backward, which writes into dq, dk and dv."""
    refuse_more(q, k, causal, window_size_left, window_size_right, softcap, alibi_slopes)
    batch, rows, heads, _ = q.shape
    # The kernel reads the memory of softmax_lse, whatever strides a view of it has.
    memory = softmax_lse.as_strided((batch, heads, rows), (heads * rows, rows, 1))
    gradients = backward(*rows_first(dout, q, k, v, out), memory, causal, softmax_scale)
    for place, gradient in zip((dq, dk, dv), rows_first(*gradients)):
        place.copy_(gradient)
    return memory


def refuse_more(q, k, causal, window_size_left, window_size_right, softcap, alibi_slopes):
    if (window_size_left, window_size_right) != (-1, -1) or softcap or alibi_slopes is not None:
        raise NotImplementedError("the local kernel has no windows, softcap or slopes")
    if causal and q.shape[1] != k.shape[1]:
        raise NotImplementedError("the local kernel's causal mask begins at the first row")


@functools.cache
def install_flash_attn():
    """A module flash_attn, for libraries that import it."""
    package, interface = types.ModuleType("flash_attn"), types.ModuleType("flash_attn.flash_attn_interface")
    package.__version__ = "2.8.3"
    package.__path__ = []
    package.flash_attn_interface = interface
    for name in ("flash_attn_func", "flash_attn_varlen_func"):
        setattr(package, name, None)
    interface._flash_attn_forward = interface._wrapped_flash_attn_forward = flash_attn_forward
    interface._flash_attn_backward = interface._wrapped_flash_attn_backward = flash_attn_backward
    interface._flash_attn_varlen_forward = interface._flash_attn_varlen_backward = None
    sys.modules.update({"flash_attn": package, "flash_attn.flash_attn_interface": interface})


def flash_for_cuda(query, key, value, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):
    """aten::_scaled_dot_product_flash_attention."""
    out, log_sum_exp = forward(query, key, value, is_causal, scale)
    nothing = torch.zeros(2, dtype=torch.int64)
    return out, log_sum_exp, None, None, query.shape[2], key.shape[2], nothing, nothing[0], query.new_empty(0)


def flash_for_cuda_backward(grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p,
                            is_causal, philox_seed, philox_offset, *, scale=None):
    """aten::_scaled_dot_product_flash_attention_backward."""
    return backward(grad_out, query, key, value, out, logsumexp, is_causal, scale)


@functools.cache
def install_aten():
    """The operators of torch that only a GPU has otherwise; what is returned keeps them."""
    library = torch.library.Library("aten", "IMPL")
    library.impl("_scaled_dot_product_flash_attention", flash_for_cuda, "CPU")
    library.impl("_scaled_dot_product_flash_attention_backward", flash_for_cuda_backward, "CPU")
    return library
