#!/usr/bin/env python3
"""Checks that the documents say what is so: check_docs.py [BUILD-FOLDER].

- Every test that docs/guarantees.md and docs/cases.md name (`Suite.Name`, `name_test.cpp`) exists.
- Every file that a document links to exists.
- The README's C++ programs are examples/first_bus.cpp and examples/first_queue.cpp, which the tests
  compile and run.
- With a build folder: the README's shell blocks below a line `<!-- runs -->` are run there.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

NAMES_TESTS = ("docs/guarantees.md", "docs/cases.md")
TEST_NAME = re.compile(r"`([A-Z]\w+)\.(\w+)`")


def tests_in_sources():
    found = set()
    for path in pathlib.Path("tests").rglob("*.cpp"):
        text = path.read_text()
        for suite, name in re.findall(r"\bTEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", text):
            found.add(f"{suite}.{name}")
        for suite, name in re.findall(r"\bRC_GTEST(?:_FIXTURE)?_PROP\(\s*(\w+)\s*,\s*(\w+)", text):
            found.add(f"{suite}.{name}")
    return found


def named_tests(problems):
    known = tests_in_sources()
    count = 0
    for document in NAMES_TESTS:
        for number, line in enumerate(pathlib.Path(document).read_text().splitlines(), 1):
            for suite, name in TEST_NAME.findall(line):
                count += 1
                if f"{suite}.{name}" not in known:
                    problems.append(f"{document}:{number}: there is no test {suite}.{name}")
    return count


def linked_files(problems):
    for document in [*pathlib.Path(".").glob("*.md"), *pathlib.Path("docs").rglob("*.md")]:
        prose = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
            if "://" not in target and not (document.parent / target).exists():
                problems.append(f"{document}: links to {target}, which is not there")


def readme_program(problems):
    blocks = re.findall(r"```cpp\n(.*?)```", pathlib.Path("README.md").read_text(), re.DOTALL)
    files = ("examples/first_bus.cpp", "examples/first_queue.cpp")
    # Without the first line, which says what the file is.
    examples = [pathlib.Path(file).read_text().split("\n", 1)[1] for file in files]
    if blocks != examples:
        problems.append(f"README.md: its C++ programs are not {' and '.join(files)}, word for word")


def run_readme(build, problems):
    text = pathlib.Path("README.md").read_text()
    blocks = re.findall(r"<!-- runs -->\n```sh\n(.*?)```", text, re.DOTALL)
    if not blocks:
        problems.append("README.md: no shell block is marked as one that runs")
    for block in blocks:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "build").symlink_to(pathlib.Path(build).resolve())
            try:
                ended = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder,
                                       capture_output=True, text=True, timeout=300)
            except subprocess.TimeoutExpired:
                problems.append(f"README.md: did not end within 5 minutes:\n{block}")
                continue
            if ended.returncode != 0:
                problems.append(f"README.md: exit {ended.returncode} from\n{block}{ended.stderr}")
    return len(blocks)


def main(arguments):
    problems = []
    count = named_tests(problems)
    linked_files(problems)
    readme_program(problems)
    ran = run_readme(arguments[0], problems) if arguments else 0
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"documents: {count} named tests, {ran} shell blocks run, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
