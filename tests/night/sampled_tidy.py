# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over the layers: every file that a build compiles outside tests/, or those for which there is time.

    python3 tests/night/sampled_tidy.py BUILD JOBS

BUILD has compile_commands.json. When time is limited (sample.py), files that changed within the last day come first.
Ends with 1 on a finding.
"""
import json
import os
import pathlib
import subprocess
import sys

from sample import Sample

ROOT = pathlib.Path(__file__).resolve().parents[2]


def files_of_the_layers(build):
    commands = json.loads((build / "compile_commands.json").read_text())
    files = {os.path.relpath(command["file"], ROOT) for command in commands}
    return sorted(file for file in files if not file.startswith(("tests/", os.path.relpath(build, ROOT), "..")))


def changed_within_a_day():
    """Without their endings: a change of a header concerns the file that defines what it declares."""
    log = ["git", "-C", ROOT, "log", "--since=1.day", "--name-only", "--format="]
    names = subprocess.run(log, capture_output=True, text=True, check=False).stdout.split()
    return {os.path.splitext(name)[0] for name in names}


def main(build, jobs):
    changed = changed_within_a_day()
    sample = Sample("files", files_of_the_layers(build), early=lambda file: os.path.splitext(file)[0] in changed)

    def tidy(file):
        return sample.run(["clang-tidy-14", "-p", build, "--quiet", "--warnings-as-errors=*", ROOT / file])

    for file, done in sample.each(tidy, jobs):
        if done.returncode:
            print((done.stdout or done.stderr).decode(errors="replace"), end="")
            sample.complaints.append(file)
    return sample.status()


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2])))
