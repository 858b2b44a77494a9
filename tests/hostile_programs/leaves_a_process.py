# SPDX-License-Identifier: Apache-2.0
# Leaves a process without environment in a session of its own: attestone must not leave it there.
# expect: conforms|left-process --property=value_bound 'shape=1x1x2x3x4'
import subprocess

import honest

subprocess.Popen(["/bin/sleep", "3600"], env={}, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
honest.serve()
