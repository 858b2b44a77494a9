# SPDX-License-Identifier: Apache-2.0
"""Reads the weights of a file that torch.save wrote before torch 1.6, without torch.

Such a file is five pickles, then the numbers of each storage: its element count in 8 bytes, its elements. The fourth pickle
maps a name to a tensor, the fifth lists the keys of the storages in the order of the file. A pickle may name any function
and have it called; this reader knows three names and refuses every other.
"""
import pickle
from collections import OrderedDict

import numpy as np

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
FLOAT_STORAGE = ("torch", "FloatStorage")


def part_of_storage(storage, offset, shape, strides, requires_gradient, hooks):
    """What a tensor is before the storages are read: where its elements begin, and its shape. Strides count elements."""
    expected = tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))
    if tuple(strides) != expected:
        raise pickle.UnpicklingError(f"a tensor of shape {shape} has strides {strides}")
    return storage, offset, tuple(shape)


class WeightUnpickler(pickle.Unpickler):
    """Knows ordered dictionaries, float tensors and the storages that they lie in."""

    KNOWN = {
        ("collections", "OrderedDict"): OrderedDict,
        ("torch._utils", "_rebuild_tensor_v2"): part_of_storage,
        FLOAT_STORAGE: FLOAT_STORAGE,
    }

    def find_class(self, module, name):
        if (module, name) not in self.KNOWN:
            raise pickle.UnpicklingError(f"{module}.{name} has no place among weights")
        return self.KNOWN[module, name]

    def persistent_load(self, identity):
        """A storage is named by its key. It must hold floats, and it must not be a view of another storage."""
        kind, element, key, _, _, view = identity
        if (kind, element, view) != ("storage", FLOAT_STORAGE, None):
            raise pickle.UnpicklingError(f"unknown storage {identity}")
        return key


def load(path):
    """The tensors of the file by name, as float32 arrays."""
    with open(path, "rb") as file:
        magic, protocol, system, parts, keys = (WeightUnpickler(file).load() for _ in range(5))
        if (magic, protocol, system.get("little_endian")) != (MAGIC, PROTOCOL, True):
            raise pickle.UnpicklingError(f"{path} is not what an old torch.save writes")
        storages = {}
        for key in keys:
            count = int.from_bytes(file.read(8), "little")
            data = file.read(4 * count)
            if len(data) != 4 * count:
                raise pickle.UnpicklingError(f"{path} ends within storage {key}")
            storages[key] = np.frombuffer(data, dtype="<f4")
    return {
        name: storages[key][offset : offset + int(np.prod(shape))].reshape(shape)
        for name, (key, offset, shape) in parts.items()
    }
