# SPDX-License-Identifier: Apache-2.0
# Says that it computes gradients, and answers them as if they were a forward pass.
# expect: wrong-protocol --property=gradient_bound 'shape=1x1x2x3x4 pass=forward+backward'
import honest

honest.serve(description={"passes": "forward+backward"})
