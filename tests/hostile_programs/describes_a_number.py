# SPDX-License-Identifier: Apache-2.0
# Its name is a number.
# expect: usage --property=value_bound 'shape=1x1x2x3x4'
import honest

honest.serve(description={"name": 17})
