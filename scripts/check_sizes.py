#!/usr/bin/env python3
"""Warns of files and functions that have outgrown a screen. A warning, never a failure."""
import pathlib
import re
import subprocess

LINES_OF_A_FILE = 500
LINES_OF_A_FUNCTION = 70


def functions(lines):
    """(first line, length) of each body that closes at the indentation where it began."""
    begin = None
    for number, line in enumerate(lines, 1):
        if begin is None and re.match(r"^(  )?[A-Za-z_~].*\)[^;]*\{$", line) \
                and not re.match(r"^\s*(namespace|class|struct|enum|union)\b", line):
            begin = number
            closing = re.match(r"^ *", line).group(0) + "}"
        elif begin is not None and line.startswith(closing):
            yield begin, number - begin + 1
            begin = None


def main():
    listing = subprocess.run(["git", "ls-files", "*.cpp", "*.hpp"], check=True,
                             capture_output=True, text=True)
    for name in listing.stdout.splitlines():
        lines = pathlib.Path(name).read_text().splitlines()
        if len(lines) > LINES_OF_A_FILE:
            print(f"sizes: {name} has {len(lines)} lines: look for the missing noun")
        for begin, length in functions(lines):
            if length > LINES_OF_A_FUNCTION:
                print(f"sizes: {name}:{begin} is a function of {length} lines")


if __name__ == "__main__":
    main()
