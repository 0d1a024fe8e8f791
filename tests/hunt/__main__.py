"""Run the search for as long as you like; see the package."""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time
from pathlib import Path

from . import areas
from .running import Finding, Tally, run, run_case

TURN = 0.2  # minutes that an area runs before the next has its turn


def options(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.hunt", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to search")
    parser.add_argument("--area", action="append", choices=sorted(areas()), help="only this area")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="only this case, of one area")
    parser.add_argument("--folder", type=Path, default=Path("build/hunt"), help="for findings")
    return parser.parse_args(given)


def summary(tallies: dict[str, Tally], detail: bool = True) -> str:
    lines = []
    for name, tally in tallies.items():
        found = len(tally.findings)
        large = f"{tally.skipped} of them too large"
        if tally.too_big:
            some = ", ".join(f"{check} {times}" for check, times in sorted(tally.too_big.items()))
            large += f" (and for {some})"
        answers = f"{tally.compared} answers compared"
        lines.append(f"{name:12} {tally.cases:8} cases, {large}, {answers}, {found} findings")
    if detail:
        for tally in tallies.values():
            for finding in tally.findings.values():
                lines += ["", f"seen {finding.times} times", finding.text]
    return "\n".join(lines)


def out(text: str, end: str = "\n") -> None:
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + end)
    sys.stdout.flush()


def hunt(chosen: argparse.Namespace, tallies: dict[str, Tally]) -> None:
    """Give every area its turn until the time is over."""
    known = areas()
    watched = sys.stderr.isatty()
    until = time.monotonic() + 60 * chosen.minutes

    def told(tally: Tally) -> None:
        if watched:
            left = max(0.0, until - time.monotonic())
            cases = sum(one.cases for one in tallies.values())
            found = sum(len(one.findings) for one in tallies.values())
            sys.stderr.write(f"\r{cases} cases, {found} findings, {left:.0f} s left \x1b[K")

    while time.monotonic() < until:
        for name, tally in tallies.items():
            left = (until - time.monotonic()) / 60
            if left <= 0:
                break
            turn = min(TURN, left)
            run(known[name], minutes=turn, seed=chosen.seed, folder=chosen.folder, told=told,
                tally=tally)  # fmt: skip
    if watched:
        sys.stderr.write("\n")


def main(given: list[str]) -> int:
    chosen = options(given)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    names = chosen.area or list(areas())
    tallies = {name: Tally() for name in names}
    if chosen.case is not None:
        found: list[Finding] = []
        for name in names:
            found += run_case(areas()[name], chosen.seed, chosen.case, tallies[name])
    else:
        try:
            hunt(chosen, tallies)
        except KeyboardInterrupt:
            out("\nstopped")
    out(summary(tallies))
    return int(any(tally.findings for tally in tallies.values()))


if __name__ == "__main__":
    faulthandler.enable()
    sys.exit(main(sys.argv[1:]))
