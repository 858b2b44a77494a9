# SPDX-License-Identifier: Apache-2.0
"""Fails if a page of the site points to a file that is not there, or shows markup as text: site.py FOLDER"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

# Commands of Doxygen, tags of HTML and links of Markdown, as a reader must not see them.
RAW = re.compile(r"[@\\](?:section|subsection|code|endcode|ref|anchor|f\$|f\[)|</?(?:tt|code|pre|em|b)>|\]\([^)\s]*\)")
# Their text stands as it is.
CODE = ("pre", "code", "script", "style", "title")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.targets = set()
        self.raw = []
        self.code = 0  # how many elements of code the text stands in
        self.blocks = []  # the text of paragraphs, which may be split by elements
        self.feed(text)
        for block in "".join(self.blocks).split("\0"):
            self.raw += [match[0] for match in RAW.finditer(block)]

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                address = urllib.parse.urlparse(value)
                if not address.scheme and address.path:
                    self.targets.add(urllib.parse.unquote(address.path))
        self.code += tag in CODE
        if tag in ("p", "li", "td", "th", "dt", "dd", "h1", "h2", "h3", "div"):
            self.blocks.append("\0")

    def handle_endtag(self, tag):
        self.code -= tag in CODE and self.code > 0

    def handle_data(self, data):
        if not self.code:
            self.blocks.append(data)


def main():
    folder = pathlib.Path(sys.argv[1])
    pages = {page.name: Page(page.read_text()) for page in sorted(folder.glob("*.html"))}
    wrong = [f"{name} points to {target}, which is not there"
             for name, page in pages.items() for target in sorted(page.targets) if not (folder / target).exists()]
    wrong += [f"{name} shows the markup {markup}" for name, page in pages.items() for markup in sorted(set(page.raw))]
    print("\n".join(wrong) or f"{len(pages)} pages")
    sys.exit(1 if wrong or not pages else 0)


main()
