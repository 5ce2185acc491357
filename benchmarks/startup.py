"""How long a user waits: from Enter to the first line, to the first trial, and to the end.

    python benchmarks/startup.py --repeat 5 --json
    python benchmarks/startup.py --before ../before/.venv/bin/l2p-search --repeat 5 --json

Runs `l2p-search --dataset demo --space smoke --trials 1` in a folder of its own, piped, and takes
the clock when its first line comes, when its first trial has ended, and when it ends. With
`--before` the two are run in turn, so that what else the machine does meets both. Processes share
the machine: compare the two of one run, never the numbers of two.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_SEARCH = ("--dataset", "demo", "--space", "smoke", "--trials", "1", "--seeds", "2")
_OPTIONS = ("--confirm", "2", "--confirm-ties", "0")


def measure(command: list[str], tracking: bool) -> dict[str, float]:
    """One search: seconds to the first line, to the first trial, and to the end."""
    with tempfile.TemporaryDirectory(prefix="startup-") as folder:
        log = Path(folder) / "said"
        asked = [*command, *_SEARCH, *_OPTIONS, *([] if tracking else ["--no-tracking"])]
        started = time.perf_counter()
        with log.open("wb") as said:
            process = subprocess.Popen(
                asked, cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said
            )
            found: dict[str, float] = {}
            while process.poll() is None:
                text, now = log.read_text(), time.perf_counter() - started
                if text:
                    found.setdefault("first_line", now)
                if "[1/1]" in text:
                    found.setdefault("first_trial", now)
                time.sleep(0.01)
        found["end"] = time.perf_counter() - started
        if process.returncode != 0:
            raise SystemExit(f"{asked} ended with {process.returncode}:\n{log.read_text()}")
        found.setdefault("first_trial", found["end"])
        return found


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", metavar="PROGRAM", help="another l2p-search to compare with")
    parser.add_argument("--repeat", type=int, default=5, metavar="N")
    parser.add_argument("--no-tracking", action="store_true", help="without MLflow")
    parser.add_argument("--json", action="store_true", help="print one object")
    args = parser.parse_args()
    programs = {"after" if args.before else "now": [sys.executable, "-m", "l2p_search"]}
    if args.before:
        programs = {"before": [args.before], **programs}
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in programs}
    for _ in range(args.repeat):
        for name, command in programs.items():
            runs[name].append(measure(command, not args.no_tracking))
    keys = ("first_line", "first_trial", "end")
    found = {
        name: {key: round(statistics.median(run[key] for run in each), 2) for key in keys}
        for name, each in runs.items()
    }
    if args.json:
        print(json.dumps({"median_seconds": found, "repetitions": args.repeat, "runs": runs}))
        return
    for name, seconds in found.items():
        print(name, ", ".join(f"{key.replace('_', ' ')} {seconds[key]:.1f} s" for key in keys))


if __name__ == "__main__":
    main()
