# SPDX-License-Identifier: Apache-2.0
# Ends well instead of answering.
# expect: exited --property=value_bound 'shape=1x1x2x3x4'
import honest
import os


def reply(texts, tensors):
    os._exit(0)


honest.serve(reply)
