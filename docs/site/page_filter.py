# SPDX-License-Identifier: Apache-2.0
"""Prints a Markdown page so that Doxygen reads it as GitHub does: page_filter.py PAGE.md

Doxygen takes `it's` for a quotation that ends at the apostrophe, where doubled backticks say that it is code; it
cannot show code in a heading; a heading to which the page links (`#open-line`) needs that name written beside it; and
it does not see a link whose text goes on in the next line. Code blocks stay as they are.
"""
import re
import sys


def span(match):
    ticks, text = match.groups()
    return f"``{text}``" if ticks == "`" and "'" in text else match[0]


def name_of(heading):
    """What GitHub calls a heading in a link."""
    return re.sub(r"[^\w -]", "", heading.lstrip("# ").lower()).replace(" ", "-")


def titled(match):
    heading = match[0].replace("`", "")
    return f"{heading} {{#{name_of(heading)}}}" if name_of(heading) in linked else heading


page = open(sys.argv[1]).read()
linked = set(re.findall(r"\]\(#([\w-]+)\)", page))
for part in re.split(r"(^```.*?^```$)", page, flags=re.MULTILINE | re.DOTALL):
    if not part.startswith("```"):
        part = re.sub(r"^#+ .*", titled, part, flags=re.MULTILINE)
        part = re.sub(r"\[([^][`]*)\n([^][`]*)\](?=\()", r"[\1 \2]", part)
        part = re.sub(r"(?<!`)(`+)(?!`)((?:(?!\n\n).)+?)(?<!`)\1(?!`)", span, part, flags=re.DOTALL)
    sys.stdout.write(part)
