# SPDX-License-Identifier: Apache-2.0
"""Prints a Markdown page so that Doxygen reads it as GitHub does: page_filter.py PAGE.md

Doxygen takes `it's` for a quotation that ends at the apostrophe, where doubled backticks say that it is code; and it
cannot show code in a heading. Code blocks stay as they are.
"""
import re
import sys


def span(match):
    ticks, text = match.groups()
    return f"``{text}``" if ticks == "`" and "'" in text else match[0]


page = open(sys.argv[1]).read()
for part in re.split(r"(^```.*?^```$)", page, flags=re.MULTILINE | re.DOTALL):
    if not part.startswith("```"):
        part = re.sub(r"^#+ .*", lambda heading: heading[0].replace("`", ""), part, flags=re.MULTILINE)
        part = re.sub(r"(?<!`)(`+)(?!`)((?:(?!\n\n).)+?)(?<!`)\1(?!`)", span, part, flags=re.DOTALL)
    sys.stdout.write(part)
