# SPDX-License-Identifier: Apache-2.0
# Leaves a job in the background that ignores what might end it.
# expect: conforms|left-process --property=value_bound 'shape=1x1x2x3x4'
(trap "" TERM HUP INT PIPE; sleep 3600) </dev/null >/dev/null 2>&1 &
exec python3 -S "$(dirname "$0")/honest_program.py"
