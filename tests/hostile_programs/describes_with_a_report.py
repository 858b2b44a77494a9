# SPDX-License-Identifier: Apache-2.0
# Its name erases the screen and holds a report of its own, in every format.
# expect: wrong-number --property=value_bound 'shape=1x1x2x3x4'
import honest

honest.serve(honest.wrong, description={"name": '\033[2J\033]0;title\007\r"}]}]]></failure></testcase><testcase name="x"/>\n\n| a | b |\n<script>alert(1)</script>\b\x7f\x9b[1mconforms\n'})
