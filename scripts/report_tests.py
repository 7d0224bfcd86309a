#!/usr/bin/env python3
"""Reads a ctest JUnit file: report_tests.py CTEST.xml ALLOWED-SKIPS.

Prints how many contract tests of the bus and of the queue ran for each store, and fails where a test
was disabled or did not run. A test whose server is not installed is skipped, with one line for each
such server; with CI=true that fails as well, unless the test is on the list of allowed skips.
"""
import collections
import fnmatch
import os
import pathlib
import re
import sys
import xml.etree.ElementTree


def allowed(path):
    lines = pathlib.Path(path).read_text().splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def missing_server(case):
    """What the test could not have; None where it has another reason not to run."""
    said = re.search(r"^cannot be had: (.*)$", case.findtext("system-out") or "", re.MULTILINE)
    return said and said.group(1)


def main(report, skips):
    ran = collections.Counter()
    off, lacking = [], collections.defaultdict(list)
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        name, status = case.get("name"), case.get("status")
        if status in ("notrun", "disabled") or case.find("skipped") is not None:
            server = missing_server(case)
            (lacking[server] if server else off).append(name)
            continue
        contract = re.match(r"(\w+)/(Queue)?\w*Contract\w*\.", name)
        if contract:
            ran[contract.group(1).lower(), "queue" if contract.group(2) else "bus"] += 1
    for (store, contract), count in sorted(ran.items()):
        print(f"contract tests of the {contract} run on {store}: {count}")
    if any(len({ran[key] for key in ran if key[1] == contract}) > 1 for contract in ("bus", "queue")):
        print("(the numbers differ: only a durable store runs the contract of durability)")
    for server, names in lacking.items():
        print(f"SKIPPED: {len(names)} tests, because they cannot have {server}", file=sys.stderr)
        if os.environ.get("CI") == "true":
            off += names
    patterns = allowed(skips)
    unexpected = sorted({name for name in off
                         if not any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)})
    for name in unexpected:
        print(f"not run: {name}", file=sys.stderr)
    print(f"disabled or skipped tests: {len(off)}, of which allowed: {len(off) - len(unexpected)}")
    if not ran:
        print("no contract test ran", file=sys.stderr)
    return 1 if unexpected or not ran else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
