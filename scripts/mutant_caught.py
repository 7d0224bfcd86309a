#!/usr/bin/env python3
"""Reads the JUnit file of a mutant's run and says what failed; exits with 0 where it was caught.

Caught means: something failed, and where contract tests ran, at least one failed on every store.
"""
import collections
import re
import sys
import xml.etree.ElementTree

ran, failed = collections.Counter(), collections.Counter()
for case in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
    contract = re.match(r"(\w+)/\w*Contract\w*\.", case.get("name"))
    group = contract.group(1).lower() if contract else "other tests"
    ran[group] += 1
    failed[group] += case.get("status") == "fail"

print(", ".join(f"{group}: {failed[group]} of {ran[group]} failed" for group in sorted(ran)))
stores = [group for group in ran if group != "other tests"]
blind = [store for store in stores if failed[store] == 0]
sys.exit(0 if sum(failed.values()) > 0 and not blind else 1)
