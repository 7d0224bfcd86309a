#!/usr/bin/env bash
# Everything about the text of the project: format, layers, documents' names, sizes (a warning).
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/check_format.sh
python3 scripts/check_layers.py
python3 scripts/check_docs.py
python3 scripts/check_sizes.py
