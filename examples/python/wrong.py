#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wrong kernel: the one of kernel.py, but it forgets to scale the scores."""

import kernel

right = kernel.forward
kernel.forward = lambda texts, tensors: right({**texts, "scale": "1"}, tensors)
kernel.main()
