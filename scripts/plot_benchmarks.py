#!/usr/bin/env python3
"""Draws what penstock-bench measured: plot_benchmarks.py JSON [FOLDER].

Reads the file that `penstock-bench … --json` wrote, and writes into FOLDER (bench/results):

- tables.md: every line of every scenario, ratios first, with their spread;
- dispatch.svg, publish.svg, pressure.svg: ratios as bars, the spread of the samples as whiskers;
- latency.svg: from commit to handler at an offered rate, p50 and p99.

The same JSON gives the same bytes. A contender whose runs were not exact is shown as INVALID, without a
number. Exits with 1 where the file is none of ours.
"""
import html
import json
import pathlib
import sys

REFERENCES = ("base", "baseline")  # Whom the others are compared with, where they take part.
PRESSURES = ("pressure", "held transaction")
COLOURS = {"penstock": "#2563a8", "baseline": "#9a9a9a", "floor": "#c9a227", "base": "#9a9a9a",
           "candidate": "#2563a8"}
OTHER_COLOUR = "#4d8f5b"


def spread(values):
    """(median, lowest, highest) as penstock-bench has them."""
    ordered = sorted(values)
    return ordered[len(ordered) // 2], ordered[0], ordered[-1]


def is_valid(samples):
    # One that was not exact has a verdict and no numbers.
    return bool(samples) and all("per_second" in sample for sample in samples)


def reference_of(line):
    return next((name for name in REFERENCES if name in line["samples"]), None)


def ratios(line, contender):
    """Of the pairs of samples that were taken together; None where there is nothing to compare."""
    reference = reference_of(line)
    if reference in (None, contender):
        return None
    ours, theirs = line["samples"][contender], line["samples"][reference]
    if not (is_valid(ours) and is_valid(theirs)):
        return None
    pairs = [a["per_second"] / b["per_second"] for a, b in zip(ours, theirs) if b["per_second"] > 0]
    return spread(pairs) if pairs else None


def shares(samples):
    """The rate under pressure, of that before."""
    found = [sample["per_second"] / sample["per_second_before"] for sample in samples
             if sample.get("per_second_before", 0) > 0]
    return spread(found) if found else None


def latency(samples, name):
    found = [sample["latency_ms"][name] for sample in samples if "latency_ms" in sample]
    return spread(found) if found else None


def costs_each(samples, *path):
    found = []
    for sample in samples:
        value = sample.get("cost", {})
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        if value is not None and sample["units"] > 0:
            found.append(value / sample["units"])
    return spread(found) if found else None


# Text.

def with_spread(values, unit="", digits=2):
    if values is None:
        return "–"
    middle, low, high = (f"{value:,.{digits}f}" for value in values)
    return f"{middle}{unit} ({low} – {high})"


def cell(values, digits=1):
    return "–" if values is None else f"{values[0]:,.{digits}f}"


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def header(*names):
    return [row(*names), row(*("---" for _ in names))]


def lines_of(data, wanted):
    return [line for line in data["lines"] if wanted(line["scenario"])]


def verdict_of(samples):
    wrong = [sample["verdict"] for sample in samples if "per_second" not in sample]
    return wrong[0] if wrong else "exact"


def rates_table(lines):
    yield from header("configuration", "who", "/ reference", "per second", "p50 / p99 ms",
                      "WAL B each (images)", "updates each", "statements each", "exactness")
    for line in lines:
        for who, samples in line["samples"].items():
            if not is_valid(samples):
                yield row(line["name"], who, *["INVALID"] * 6, verdict_of(samples))
                continue
            yield row(line["name"], who, with_spread(ratios(line, who), " ×"),
                      with_spread(spread([one["per_second"] for one in samples]), digits=0),
                      f"{cell(latency(samples, 'p50'))} / {cell(latency(samples, 'p99'))}",
                      f"{cell(costs_each(samples, 'wal_bytes'), 0)} "
                      f"({cell(costs_each(samples, 'full_page_image_bytes'), 0)})",
                      cell(costs_each(samples, "deliveries", "updated"), 2),
                      cell(costs_each(samples, "statements"), 3), "exact")


def pressure_table(lines):
    yield from header("scenario", "configuration", "who", "under it / before", "per second before",
                      "per second under it", "ms until it is over", "most repeated", "exactness")
    for line in lines:
        for who, samples in line["samples"].items():
            if not is_valid(samples):
                yield row(line["scenario"], line["name"], who, *["INVALID"] * 5, verdict_of(samples))
                continue
            recovered = [one["recovered_ms"] for one in samples if "recovered_ms" in one]
            before = [one["per_second_before"] for one in samples if "per_second_before" in one]
            yield row(line["scenario"], line["name"], who, with_spread(shares(samples), " ×"),
                      with_spread(spread(before), digits=0) if before else "–",
                      with_spread(spread([one["per_second"] for one in samples]), digits=0),
                      with_spread(spread(recovered), digits=0)
                      if len(recovered) == len(samples) else "not within the run",
                      f"{max(one.get('repeated', 0) for one in samples):,}", "exact")


def targets_table(targets):
    yield from header("row", "target", "measured", "")
    for target in targets:
        met = {True: "met", False: "missed"}.get(target.get("met"), "–")
        yield row(target["row"], target["target"], target["measured"], met)


def regressions(data):
    """Where somebody is slower than the reference, beyond what the samples differ by."""
    for line in lines_of(data, lambda name: name not in PRESSURES):
        for who in line["samples"]:
            found = ratios(line, who)
            if who != "floor" and found and found[0] < 1:
                certain = "slower in every pair" if found[2] < 1 else "within the spread"
                yield f"- {line['scenario']}, {line['name']}, {who}: {with_spread(found, ' ×')}, {certain}"


def tables(data):
    text = ["# What was measured", "",
            f"Written by scripts/plot_benchmarks.py; not to be edited. penstock {data['penstock']}, "
            f"{data['processors']} processors, {data['payload_bytes']}-byte payloads. Medians, and in "
            "brackets the lowest and the highest sample. Ratios are of samples taken together, to the "
            "baseline or, where two builds were compared, to `base`.", ""]
    if data.get("targets"):
        text += ["## Targets", "", *targets_table(data["targets"]), ""]
    slower = list(regressions(data))
    text += ["## Slower than the reference", "", *(slower or ["Nothing."]), ""]
    scenarios = dict.fromkeys(line["scenario"] for line in data["lines"])
    for scenario in scenarios:
        if scenario not in PRESSURES:
            text += [f"## {scenario[0].upper()}{scenario[1:]}", "",
                     *rates_table(lines_of(data, lambda name, one=scenario: name == one)), ""]
    pressed = lines_of(data, lambda name: name in PRESSURES)
    if pressed:
        text += ["## Under pressure", "", *pressure_table(pressed), ""]
    return "\n".join(text)


# Drawings: horizontal bars, one group for each line, one bar for each contender.

LABELS, PLOT, VALUES = 260, 420, 190  # Widths.
BAR, GAP, TOP, BOTTOM = 14, 10, 44, 16


def text_at(x, y, text, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{html.escape(text)}</text>'


def bars_of(group, top, most):
    """The marks of one group: (name, [(who, (median, low, high) or None)])."""
    name, bars = group
    middle = top + len(bars) * BAR / 2 + 4
    yield text_at(LABELS - 8, middle, name, ' text-anchor="end"')
    for who, values in bars:
        colour = COLOURS.get(who, OTHER_COLOUR)
        if values is None:
            yield text_at(LABELS + 4, top + BAR - 3, f"{who}: INVALID", ' fill="#b3261e"')
        else:
            length, low, high = (PLOT * value / most for value in values)
            centre = top + BAR / 2
            yield (f'<rect x="{LABELS}" y="{top + 1:.1f}" width="{length:.1f}" height="{BAR - 2}" '
                   f'fill="{colour}"/>')
            yield (f'<path d="M{LABELS + low:.1f} {centre:.1f}H{LABELS + high:.1f}" '
                   'stroke="#222" stroke-width="1.5"/>')
            yield text_at(LABELS + max(length, high) + 6, top + BAR - 3,
                          f"{who} {with_spread(values)}")
        top += BAR


def drawing(title, groups, mark=None):
    """An SVG; `mark` is a value that gets a line, such as "as fast as the reference"."""
    groups = [group for group in groups if group[1]]
    highest = [values[2] for _, bars in groups for _, values in bars if values]
    most = max([*highest, mark or 0]) or 1
    height = TOP + sum(len(bars) * BAR + GAP for _, bars in groups) + BOTTOM
    width = LABELS + PLOT + VALUES
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="#fff"/>',
           text_at(8, 20, title, ' font-size="14"')]
    top = TOP
    for group in groups:
        out += bars_of(group, top, most)
        top += len(group[1]) * BAR + GAP
    if mark is not None:
        x = LABELS + PLOT * mark / most
        out.append(f'<path d="M{x:.1f} {TOP - 8}V{height - BOTTOM}" stroke="#b3261e" '
                   'stroke-dasharray="3 3"/>')
        out.append(text_at(x + 3, TOP - 10, f"{mark:g}", ' fill="#b3261e"'))
    return "\n".join([*out, "</svg>", ""])


def ratio_groups(lines):
    for line in lines:
        yield line["name"], [(who, ratios(line, who)) for who, samples in line["samples"].items()
                             if who != reference_of(line)
                             and (ratios(line, who) or not is_valid(samples))]


def latency_groups(lines):
    for line in lines:
        for name in ("p50", "p99"):
            yield f"{line['name']}, {name}", [
                (who, latency(samples, name) if is_valid(samples) else None)
                for who, samples in line["samples"].items()]


def share_groups(lines):
    for line in lines:
        name = line["name"] if line["scenario"] == "pressure" else f"{line['scenario']}, {line['name']}"
        yield name, [(who, shares(samples) if is_valid(samples) else None)
                     for who, samples in line["samples"].items()]


def drawings(data):
    """Name of the file -> its contents; only of what was measured."""
    def of(*names):
        return lines_of(data, lambda name: name in names)
    found = {
        "dispatch.svg": ("Dispatch: rate / reference", list(ratio_groups(of("dispatch"))), 1),
        "publish.svg": ("Publish: rate / reference", list(ratio_groups(of("publish"))), 1),
        "latency.svg": ("Commit to handler at an offered rate: ms", list(latency_groups(of("mixed"))),
                        None),
        "pressure.svg": ("Under pressure: rate / rate before", list(share_groups(of(*PRESSURES))), 1),
    }
    return {name: drawing(*what) for name, what in found.items() if any(bars for _, bars in what[1])}


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        data = json.loads(pathlib.Path(arguments[0]).read_text())
        files = {"tables.md": tables(data), **drawings(data)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"plot_benchmarks: {arguments[0]} is not what `penstock-bench … --json` writes: "
              f"{error!r}", file=sys.stderr)
        return 1
    folder = pathlib.Path(arguments[1] if len(arguments) == 2 else "bench/results")
    folder.mkdir(parents=True, exist_ok=True)
    for name, contents in files.items():
        (folder / name).write_text(contents)
        print(folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
