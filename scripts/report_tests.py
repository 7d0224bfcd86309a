#!/usr/bin/env python3
"""Reads a ctest JUnit file: report_tests.py CTEST.xml ALLOWED-SKIPS.

Prints how many contract tests ran for each store, and fails where a test was disabled, or skipped
without being on the list of allowed skips.
"""
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree


def allowed(path):
    lines = pathlib.Path(path).read_text().splitlines()
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def main(report, skips):
    ran = collections.Counter()
    off = []
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        name, status = case.get("name"), case.get("status")
        if status in ("notrun", "disabled") or case.find("skipped") is not None:
            off.append(name)
            continue
        contract = re.match(r"(\w+)/\w*Contract\w*\.", name)
        if contract:
            ran[contract.group(1).lower()] += 1
    for store, count in sorted(ran.items()):
        print(f"contract tests run on {store}: {count}")
    if len(set(ran.values())) > 1:
        print("(the numbers differ: only a durable store runs the contract of durability)")
    unexpected = sorted(set(off) - allowed(skips))
    for name in unexpected:
        print(f"not run: {name}", file=sys.stderr)
    print(f"disabled or skipped tests: {len(off)}, of which allowed: {len(off) - len(unexpected)}")
    if not ran:
        print("no contract test ran", file=sys.stderr)
    return 1 if unexpected or not ran else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
