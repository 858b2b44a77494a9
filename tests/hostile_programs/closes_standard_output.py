# SPDX-License-Identifier: Apache-2.0
# Closes its standard output, and goes on waiting for requests.
# expect: exited|wrong-protocol|hung --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
import honest
import os


def reply(texts, tensors):
    os.close(1)
    honest.receive()


honest.serve(reply)
