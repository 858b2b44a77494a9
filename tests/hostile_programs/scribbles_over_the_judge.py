# SPDX-License-Identifier: Apache-2.0
# Zeroes what the judge may write, through /proc.
# expect: wrong-number --property=value_bound 'shape=1x1x2x3x4'
import os

import honest
import judge


def reply(texts, tensors):
    for process in judge.attestones_above()[-1:]:
        try:
            memory = os.open(f'/proc/{process}/mem', os.O_WRONLY)
        except OSError:
            break
        for begin, end in judge.writable_pieces(process):
            try:
                os.pwrite(memory, bytes(min(end - begin, 65536)), begin)
            except (OSError, OverflowError):
                pass
        os.close(memory)
    return honest.wrong(texts, tensors)


honest.serve(reply)
