# SPDX-License-Identifier: Apache-2.0
# Another program that it starts takes 600 MB.
# expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x1x2x3x4'
import honest
import subprocess
import sys


def reply(texts, tensors):
    subprocess.run([sys.executable, '-S', '-c', 'import time; taken = bytearray(600 << 20); time.sleep(0.5)'], env={})
    return honest.answer(texts, tensors)


honest.serve(reply)
