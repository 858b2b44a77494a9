# SPDX-License-Identifier: Apache-2.0
# Waits for ever instead of answering.
# expect: hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
import honest
import time


def reply(texts, tensors):
    time.sleep(3600)


honest.serve(reply)
