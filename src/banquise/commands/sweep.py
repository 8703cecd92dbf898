"""banquise sweep: many runs, here or on a cluster."""

from __future__ import annotations

import argparse

from banquise.commands import options

HELP = "run every combination of parameters and seeds, here or on a cluster; goes on where it stopped"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sweep", metavar="SWEEP.toml", help="sweep file")
    parser.add_argument("-o", "--output", help="folder of the members and of sweep.nc (default: the sweep's name)")
    parser.add_argument("--workers", type=int, help="processes (default: the cores; 0: here, without Dask)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a running Dask scheduler, such as tcp://host:8786")
    parser.add_argument("--threads", type=int, default=1, help="threads of each member (default: 1)")
    parser.add_argument("--list", action="store_true", help="name the members and what is done; run nothing")
    parser.add_argument("--force", action="store_true", help="run anew, in place of results of other settings")
    options.quiet(parser)
    options.json(parser)


def run(args: argparse.Namespace) -> int:
    import json
    import sys
    from pathlib import Path

    from banquise.compiling import say_when_compiling
    from banquise.ensembles.member import is_done, mark_in
    from banquise.ensembles.plan import read_plan
    from banquise.ensembles.sweep import check_names, sweep
    from banquise.errors import CaseError

    plan = read_plan(args.sweep)
    folder = Path(args.output or Path(args.sweep).with_suffix(""))
    if args.list:
        check_names(plan)
        states = {m.name: is_done(folder / m.name, m.mark) for m in plan.members}
        print(
            json.dumps(states)
            if args.json
            else "\n".join(f"{'done' if d else 'to do':5} {n}" for n, d in states.items())
        )
        return 0
    others = [m.name for m in plan.members if mark_in(folder / m.name) not in (None, m.mark)]
    if others and not args.force:
        raise CaseError(
            f"{folder}: {len(others)} of {len(plan.members)} members have results of other settings, such as {others[0]}.\n"
            "Give another folder with -o, or run them anew in place of these: the same command with --force."
        )
    if not args.quiet:
        say_when_compiling()
    with _Progress(not args.quiet, len(plan.members)) as progress:
        found = sweep(plan, folder, args.workers, args.scheduler, args.threads, progress.report)
    if args.json:
        summary = {"members": found.members, "done": int(found.dataset.attrs["done"]), "done_before": found.done_before}
        print(json.dumps({**summary, "failed": found.failed, "output": str(found.path)}))
    else:
        print(
            f"{found.dataset.attrs['done']} of {found.members} members done ({found.done_before} before): {found.path}"
        )
        for name, reason in found.failed.items():
            print(f"failed: {name}: {reason}", file=sys.stderr)
    return 1 if found.failed else 0


class _Progress:
    """A bar on a terminal, a line a member elsewhere."""

    def __init__(self, wanted: bool, total: int):
        import sys

        self.wanted, self.total = wanted, total
        self.bar = None
        if wanted and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self.bar = Progress(*columns, console=Console(stderr=True))

    def __enter__(self) -> _Progress:
        if self.bar is not None:
            self.bar.start()
            self.task = self.bar.add_task("members", total=self.total)
        return self

    def report(self, done: int, total: int, name: str, state: str, reason: str) -> None:
        import sys

        if self.bar is not None:
            self.bar.update(self.task, completed=done, description=name[:40])
        elif self.wanted:
            print(f"{done}/{total} {state} {name}" + (f": {reason}" if reason else ""), file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
