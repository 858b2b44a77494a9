# SPDX-License-Identifier: Apache-2.0
"""Other people's distributed attention, a file each: how it is asked, and what it carries (docs/beside.md)."""
