# SPDX-License-Identifier: Apache-2.0
# Starts the honest program immune to hang-ups.
# expect: conforms --property=value_bound 'shape=1x1x2x3x4'
exec nohup python3 -S "$(dirname "$0")/honest_program.py" 2>/dev/null
