# SPDX-License-Identifier: Apache-2.0
# Interrupts the judge as its user would, and answers wrongly.
# expect: wrong-number --property=value_bound 'shape=1x1x2x3x4'
import os
import signal

import honest
import judge


def reply(texts, tensors):
    for process in judge.attestones_above()[-1:]:
        os.kill(process, signal.SIGINT)
    return honest.wrong(texts, tensors)


honest.serve(reply)
