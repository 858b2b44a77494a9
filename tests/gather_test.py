# SPDX-License-Identifier: Apache-2.0
"""Gathered files hold the files that a room has: a new one comes in, a removed one goes, what did not change stays as old."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(gathered NONE)
include(cmake/gather.cmake)
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/room/*.cpp)
attestone_gather(everything files)
add_custom_target(everything ALL DEPENDS ${files})
"""


class Gathering(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "cmake").symlink_to(ROOT / "cmake")
        (self.folder / "CMakeLists.txt").write_text(PROJECT)
        (self.folder / "room").mkdir()
        for name in "abc":
            self.add(name)
        self.run_cmake("-G", "Ninja", "-S", self.folder, "-B", self.folder / "build")

    def add(self, name):
        (self.folder / f"room/{name}.cpp").write_text(f"int {name}() {{ return 1; }}\n")

    def run_cmake(self, *words):
        subprocess.run(["cmake", *map(str, words)], check=True, capture_output=True)

    def gathered(self):
        """What is gathered after a build: one file, because the room is small."""
        self.run_cmake("--build", self.folder / "build")
        file, = (self.folder / "build/gathered/everything").glob("*.cpp")
        return file

    def names(self):
        text = self.gathered().read_text()
        return {name for name in "abcd" if f"int {name}()" in text}

    def test_a_new_file_comes_in_and_a_removed_one_goes(self):
        self.assertEqual(self.names(), set("abc"))
        self.add("d")
        self.assertEqual(self.names(), set("abcd"))
        (self.folder / "room/b.cpp").unlink()
        self.assertEqual(self.names(), set("acd"))

    def test_what_did_not_change_stays_as_old(self):
        before = self.gathered().stat().st_mtime_ns
        self.run_cmake(self.folder / "build")
        (self.folder / "room/a.cpp").touch()
        self.assertEqual(self.gathered().stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
