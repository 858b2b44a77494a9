# SPDX-License-Identifier: Apache-2.0
# Closes its standard input when it has read the first request.
# expect: hung|exited|wrong-protocol --timeout=3s --property=repeats_bitwise 'shape=1x1x2x3x4'
import honest
import os
import time


def reply(texts, tensors):
    os.close(0)
    honest.write(honest.answer(texts, tensors))
    time.sleep(3600)


honest.serve(reply)
