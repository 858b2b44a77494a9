# SPDX-License-Identifier: Apache-2.0
# Runs the honest program as the last one of a pipeline, and with a job beside it.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
sleep 3600 </dev/null >/dev/null 2>&1 &
cat | python3 -S "$(dirname "$0")/honest_program.py"
