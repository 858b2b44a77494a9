# SPDX-License-Identifier: Apache-2.0
"""Arrays of the pipe as tensors of torch, and back; torch's numpy has no bf16."""
import ml_dtypes
import numpy
import torch


def tensor(array, device="cpu"):
    """In memory of torch's own: numpy's begins where it likes, and MKL's sums depend on that."""
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(numpy.array(array).view(numpy.int16)).view(torch.bfloat16).clone().to(device)
    return torch.from_numpy(numpy.array(array)).clone().to(device)


def array(of):
    of = of.detach().cpu().contiguous()
    if of.dtype == torch.bfloat16:
        return of.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return of.numpy()


def gradients(out, inputs, dout):
    """dquery, dkey, dvalue, and dbias if there is a fourth input, by autograd."""
    names = ("dquery", "dkey", "dvalue", "dbias")
    made = torch.autograd.grad(out, inputs, dout, allow_unused=True, materialize_grads=True)
    return {name: array(gradient) for name, gradient in zip(names, made)}
