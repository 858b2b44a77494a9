# SPDX-License-Identifier: Apache-2.0
"""The pipe to attestone (docs/plugins.md): messages of texts and tensors, as numpy arrays, on standard input and output."""
import json
import os
import struct
import sys

import ml_dtypes
import numpy

FORMATS = {"F32": numpy.float32, "F16": numpy.float16, "BF16": ml_dtypes.bfloat16, "BOOL": numpy.bool_, "I64": numpy.int64}


class Refused(Exception):
    """The system does not carry this problem; the text says why."""


def read_message(stream):
    """The texts and the tensors of the next message; None when attestone hung up."""
    size = stream.read(8)
    if len(size) < 8:
        return None
    content = stream.read(struct.unpack("<Q", size)[0])
    end_of_header = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:end_of_header])
    texts = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = (end_of_header + offset for offset in entry["data_offsets"])
        tensors[name] = numpy.frombuffer(content[begin:end], FORMATS[entry["dtype"]]).reshape(entry["shape"])
    return texts, tensors


def write_message(stream, texts, tensors):
    names = {numpy.dtype(kind): name for name, kind in FORMATS.items()}
    header, data = {"__metadata__": texts}, b""
    for name, values in tensors.items():
        end = len(data) + values.nbytes
        header[name] = {"dtype": names[values.dtype], "shape": values.shape, "data_offsets": [len(data), end]}
        data += numpy.ascontiguousarray(values).tobytes()
    text = json.dumps(header).encode()
    content = struct.pack("<Q", len(text)) + text + data
    stream.write(struct.pack("<Q", len(content)) + content)
    stream.flush()


def private_output():
    """The channel to attestone; whatever else prints to standard output prints to standard error from now on."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return channel


def serve(channel, answers):
    """Answers requests until there are no more; answers: call -> function of texts and tensors, to texts and tensors."""
    while (message := read_message(sys.stdin.buffer)) is not None:
        texts, tensors = message
        try:
            reply = answers[texts["call"]](texts, tensors)
        except Refused as why:
            reply = {"refused": str(why)}, {}
        except Exception as error:  # whatever the system raises is its answer
            reply = {"error": f"{type(error).__name__}: {error}"[:500]}, {}
        write_message(channel, *reply)
