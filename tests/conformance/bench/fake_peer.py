# SPDX-License-Identifier: Apache-2.0
"""Peers that behave and misbehave, without a library behind them: each name is one way to."""
import json
import os
import sys
import time

NAMES = ["right", "absent", "refuses", "dies", "dies_later", "nonsense", "no_number", "hangs", "overstates", "threads"]


def say(answer):
    print(json.dumps(answer), flush=True)


name = sys.argv[1]
if name == "list":
    say({"protocol": "attestone.peers/1",
         "peers": [{"name": each, "absent": "no package of that kind"} if each == "absent"
                   else {"name": each, "version": "fake 1", "meaning": "sleeps"} for each in NAMES]})
    sys.exit()
request = json.loads(sys.stdin.readline())
if name == "refuses":
    say({"refused": f"does not like {request['dtype']}"})
    sys.exit()
if name == "dies":
    sys.exit("of a broken heart")
if name == "nonsense":
    print("hello", flush=True)
notes = [f"{request['threads']} threads, OMP_NUM_THREADS={os.environ['OMP_NUM_THREADS']}"]
say({"ready": True, "memory_bytes": 4096, "notes": notes})
for _ in sys.stdin:
    if name == "dies_later":
        sys.exit("as everything does")
    if name == "hangs":
        time.sleep(1000)
    begin = time.perf_counter()
    time.sleep(0.002)
    seconds = time.perf_counter() - begin
    if name == "overstates":
        seconds += 1000
    say({"seconds": "soon" if name == "no_number" else seconds})
