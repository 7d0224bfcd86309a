#!/usr/bin/env python3
"""Checks which folder includes which, and that SQL stays in .sql files.

The arrows are those of docs/architecture.md: base <- work <- the folders of verbs <- the public
classes; a store sees work, base and the public headers, and no other store; programs see public
headers only, as a user would.
"""
import pathlib
import re
import subprocess
import sys

VERBS = {"publish", "enqueue", "claim", "dispatch", "complete", "schedule", "maintain", "wakeup"}

# Folder -> the folders of src/ that it may include, beside itself and the public headers.
MAY_SEE = {
    "base": set(),
    "work": {"base"},
    **{verb: {"base", "work"} for verb in VERBS},
}
# The board, which says what is in hand, lies in dispatch; the loops around it feed and empty it.
for loop in ("claim", "complete", "wakeup"):
    MAY_SEE[loop].add("dispatch")
MAY_SEE["claim"] |= {"complete", "maintain"}
# How much to claim is decided by pure code, from what the board knows.
MAY_INCLUDE = {("dispatch", "claim/plan.hpp")}

PUBLIC_ONLY = ("cli/", "examples/", "bench/throughput/", "bench/harness/", "bench/scenarios/",
               "bench/report/", "bench/pages/", "bench/peers/")
# The bare loops run a store's own statements, by their names.
SEES_STATEMENTS = ("bench/throughput/bare/", "bench/floor/")
SQL = re.compile(r'"[^"]*\b(select\s+.+\bfrom\b|insert\s+(or\s+\w+\s+)?into\b|update\s+\w+\s+set\b'
                 r'|delete\s+from\b|create\s+(table|index)\b)', re.IGNORECASE)
# The admin listing has optional filters, the migrator asks the database's catalogue, which has no
# tables of ours yet; the adapter of libpqxx is one header, which has no file beside it; the benchmark
# asks the server's own counters, and disturbs it, and its peers have functions of their own to call;
# the others are a user's own tables, or tests of ours.
SQL_ALLOWED = re.compile(r"(list_query\.cpp$|/migrate\.cpp$|/pqxx\.hpp$|/postgres_cost\.cpp$"
                         r"|/baseline_test\.cpp$|/server_counters\.cpp$|/disturbance\.cpp$"
                         r"|^bench/peers/|^examples/|^tests/)")
# For users of that library only, and included by no other header.
HEADERS_OF_OTHERS = {"include/penstock/stores/pqxx.hpp": {"pqxx/pqxx"}}


def tracked():
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.cpp", "*.hpp"],
        check=True, capture_output=True, text=True)
    return [pathlib.Path(line) for line in listing.stdout.splitlines()
            if pathlib.Path(line).is_file()]


def folder_of(name):
    """work/token.hpp -> work; store/sqlite/statement.hpp -> store/sqlite; bus.hpp -> ''."""
    parts = name.split("/")
    if len(parts) == 1:
        return ""
    return "/".join(parts[:2]) if parts[0] == "store" and len(parts) > 2 else parts[0]


def own_includes(text):
    return re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.MULTILINE)


def all_includes(text):
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, re.MULTILINE)


def check_source(path, text):
    inside = path.relative_to("src").as_posix()
    here = folder_of(inside)
    for name in own_includes(text):
        if name.startswith("penstock/"):
            continue
        near = path.parent / name
        seen = near.resolve().relative_to(pathlib.Path("src").resolve()).as_posix() \
            if near.is_file() else name
        there = folder_of(seen)
        if there == here:
            continue
        if path.name == "open_store.cpp":
            allowed = there.startswith("store") or there in ("base", "work")
        elif here == "":
            allowed = not there.startswith("store/")
        elif here.startswith("store"):
            allowed = there in ("base", "work")
        else:
            allowed = there in MAY_SEE.get(here, set()) or (here, name) in MAY_INCLUDE
        # A generated header of statements lies beside its store.
        if not allowed and not (pathlib.Path("src") / name).is_file() and here.startswith("store/"):
            allowed = not name.startswith(("store/", "dispatch/", "claim/", "complete/"))
        if not allowed:
            yield f"{path}: {here or 'src'} must not include {name}"


def check_public_header(path, text):
    for name in set(all_includes(text)) - HEADERS_OF_OTHERS.get(path.as_posix(), set()):
        if not name.startswith("penstock/") and ("/" in name or name.endswith(".h")):
            yield f"{path}: a public header includes the standard library and penstock only: {name}"


def check_program(path, text):
    for name in own_includes(text):
        if name.startswith("penstock/"):
            continue
        top = path.parts[0]
        near = (path.parent / name).resolve()
        at_top = (pathlib.Path(top) / name).resolve()
        if (pathlib.Path("src") / name).is_file() and not near.is_file() and not at_top.is_file():
            yield f"{path}: a program sees public headers only, not {name}"


def check(path, text):
    name = path.as_posix()
    if name.startswith("src/"):
        yield from check_source(path, text)
    elif name.startswith("include/"):
        yield from check_public_header(path, text)
    elif name.startswith(PUBLIC_ONLY) and not name.startswith(SEES_STATEMENTS):
        yield from check_program(path, text)
    if not SQL_ALLOWED.search(name):
        for number, line in enumerate(text.splitlines(), 1):
            if SQL.search(line) and not line.lstrip().startswith("//"):
                yield f"{path}:{number}: SQL belongs in a .sql file"


def main():
    files = tracked()
    problems = [problem for path in files for problem in check(path, path.read_text())]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"layers: {len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
