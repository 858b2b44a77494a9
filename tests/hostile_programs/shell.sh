# SPDX-License-Identifier: Apache-2.0
# Programs of the shell: `sh FILE NAME` runs the function NAME.

answers=${0%/*}/answers.py

# Says yes without end.
# expect: usage|wrong-protocol --timeout=5s --property=value_bound 'shape=1x1x2x3x4'
agrees() {
  exec yes
}

# Ends well before it is asked anything.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
ends_at_once() {
  exit 0
}

# Sends every request back.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
echoes() {
  exec cat
}

# Sends zeros without end.
# expect: usage|wrong-protocol --timeout=5s --property=value_bound 'shape=1x1x2x3x4'
floods() {
  exec cat /dev/zero
}

# Sleeps instead of saying what it is.
# expect: usage --timeout=3s --property=value_bound 'shape=1x1x2x3x4'
sleeps() {
  sleep 3600
}

# Is a program that does not exist.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
is_not_there() {
  exec /nowhere/program
}

# Leaves a job in the background that ignores what might end it.
# expect: conforms|left-process --property=value_bound 'shape=1x1x2x3x4'
leaves_a_job() {
  (trap "" TERM HUP INT PIPE; sleep 3600) </dev/null >/dev/null 2>&1 &
  exec python3 -S "$answers" honest_program
}

# Runs the honest program as the last one of a pipeline, and with a job beside it.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
decoy_in_a_pipeline() {
  sleep 3600 </dev/null >/dev/null 2>&1 &
  cat | python3 -S "$answers" honest_program
}

# Starts the honest program immune to hang-ups.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
decoy_without_hang_up() {
  exec nohup python3 -S "$answers" honest_program 2>/dev/null
}

"$1"
