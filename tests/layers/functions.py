# SPDX-License-Identifier: Apache-2.0
"""The functions of C++ that clang-format has laid out: no grammar, only indentation and the ends of lines."""
import re
from typing import NamedTuple

RAW_STRING = re.compile(r'R"(\w*)\(')
TYPE = re.compile(r"^ *(template <.*> )?(typedef )?(namespace|class|struct|union|enum)\b")
BODY = re.compile(r"(?=.*\)).*[^=,({] \{$")
VALUE = re.compile(r".*\breturn \{$|[^()]* = ")
REASON = re.compile(r"\s*// long: (.+)")


class Function(NamedTuple):
    head: str  # its first line
    line: int  # number of that line
    lines: int  # from the one that opens its brace to the one that closes it
    reason: str  # text of a comment line `// long: ...` directly above; empty without one


def without_raw_strings(lines):
    """The lines, blank where a raw string holds anything."""
    end, code = None, []
    for line in lines:
        if end:
            line, end = (" " + line.partition(end)[2], None) if end in line else ("", end)
        elif (begin := RAW_STRING.search(line)) and f"){begin[1]}\"" not in line[begin.end():]:
            end = f"){begin[1]}\""
        code.append(line)
    return code


def indentation(line):
    return len(line) - len(line.lstrip(" "))


def without_comment(line):
    return line.partition("  //")[0]


def ends_a_declaration(line):
    code = without_comment(line).strip()
    return not code or code.startswith(("//", "#")) or code[-1] in ";{}:"


def functions(lines):
    """Functions at namespace or class scope. One ends at the first line that begins with a brace at the indentation of
    its head: lambdas and local classes belong to the function around them."""
    code, found, i = without_raw_strings(lines), [], -1
    while (i := i + 1) < len(code):
        if not without_comment(code[i]).endswith(" {"):
            continue
        begin = i
        while begin > 0 and not ends_a_declaration(code[begin - 1]):
            begin -= 1
        head = " ".join(map(without_comment, code[begin:i + 1]))
        brace = i
        if head.lstrip().startswith(("{", "#", "//", "return ")) or TYPE.match(head) or VALUE.match(head) or not BODY.match(head):
            continue
        depth = indentation(code[begin])
        while i + 1 < len(code) and not (code[i + 1].lstrip(" ").startswith("}") and indentation(code[i + 1]) == depth):
            i += 1
        i = min(i + 1, len(code) - 1)
        found.append(Function(code[begin].strip(), begin + 1, i - brace + 1, reason_above(lines, begin)))
    return found


def reason_above(lines, head):
    while head > 0 and lines[head - 1].lstrip().startswith("//"):
        head -= 1
        if match := REASON.match(lines[head]):
            return match[1]
    return ""
