# SPDX-License-Identifier: Apache-2.0
"""A team of processes on this machine that talk through torch's gloo: each is a rank, and stays for many problems."""
import importlib
import os
import tempfile
import traceback

import ml_dtypes
import numpy
import torch
import torch.distributed
import torch.multiprocessing

from pipe import Refused


def work(system_name, variant, mesh, rank, rendezvous, requests):
    """What a rank does: makes the system, then answers one request after the other until the team is gone."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=mesh.ranks)
    try:
        system = importlib.import_module(f"systems.{system_name}").System(mesh, rank, variant)
        requests.send("ready")
    except Exception as error:
        requests.send(told(error))
        return
    while True:
        try:
            request = requests.recv()
        except EOFError:
            return
        try:
            requests.send(answer(system, **request))
        except Exception as error:
            traceback.print_exc()
            requests.send(told(error))


def told(error):
    """In a form that another process can read."""
    return error if isinstance(error, Refused) else RuntimeError(f"{type(error).__name__}: {error}")


def answer(system, parts, dout, **how):
    """out and log_sum_exp of this rank's rows, [batch, rows, heads, dim] and [batch, rows, heads]; with dout, gradients."""
    parts = [tensor_of(part).requires_grad_(dout is not None) for part in parts]
    out, log_sum_exp = system.attend(*parts, **how)
    if dout is None:
        return array_of(out), array_of(log_sum_exp.float())
    return tuple(array_of(gradient) for gradient in torch.autograd.grad(out, parts, tensor_of(dout)))


def tensor_of(array):
    """A copy; torch and numpy know bf16 by the same bits and by different names."""
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(numpy.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(array.copy())


def array_of(tensor):
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


class Team:
    def __init__(self, system_name, variant, mesh):
        # What is loaded before the ranks part is loaded once.
        torch.set_num_threads(1)
        importlib.import_module(f"systems.{system_name}").load()
        context = torch.multiprocessing.get_context("fork")
        folder = tempfile.TemporaryDirectory(prefix="attestone-beside-")
        rendezvous = os.path.join(folder.name, "rendezvous")
        self.channels = []
        for rank in range(mesh.ranks):
            here, there = context.Pipe()
            context.Process(target=work, args=(system_name, variant, mesh, rank, rendezvous, there), daemon=True).start()
            self.channels.append(here)
        self.answers()
        folder.cleanup()  # they have met; this program may be ended at any moment

    def ask(self, requests):
        """Every rank's answer to its request, by rank; raises what the first rank raised that raised something."""
        for channel, request in zip(self.channels, requests):
            channel.send(request)
        return self.answers()

    def answers(self):
        answers = [channel.recv() for channel in self.channels]
        for one in answers:
            if isinstance(one, Exception):
                raise one
        return answers
