# SPDX-License-Identifier: Apache-2.0
"""Fails if a page of the site points to a file that is not there: links.py FOLDER"""
import html.parser
import pathlib
import sys
import urllib.parse


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.targets = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                address = urllib.parse.urlparse(value)
                if not address.scheme and address.path:
                    self.targets.add(urllib.parse.unquote(address.path))


folder = pathlib.Path(sys.argv[1])
pages = sorted(folder.glob("*.html"))
broken = [(page.name, target) for page in pages for target in sorted(Links(page.read_text()).targets)
          if not (folder / target).exists()]
for page, target in broken:
    print(f"{page} points to {target}, which is not there")
sys.exit(1 if broken or not pages else 0)
