#!/usr/bin/env python3
"""Prints the build folder of a configure preset, so that no script repeats it."""
import json
import pathlib
import sys

presets = json.loads(pathlib.Path("CMakePresets.json").read_text())["configurePresets"]
for preset in presets:
    if preset["name"] == sys.argv[1]:
        print(preset["binaryDir"].replace("${sourceDir}/", ""))
        sys.exit(0)
sys.exit(f"no preset {sys.argv[1]!r}; there are: {', '.join(p['name'] for p in presets)}")
