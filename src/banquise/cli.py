"""The command line: finds the command, runs it, turns a user's mistake into a plain line and exit code 2."""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from banquise import __version__
from banquise.commands import COMMANDS
from banquise.errors import BanquiseError, nearest

_FIRST = f"""Banquise {__version__} simulates ice in pieces: floes, blocks and glaciers.

First steps:
  banquise demo               a ready scene, start to finish; plays in a browser
  banquise new case.toml      a first scene of your own, a file with comments
  banquise run case.toml      runs it into case.nc
  banquise view case.nc       a page that plays it
Then:
  banquise --help             all commands; banquise COMMAND --help, one of them
  banquise cite               what to cite
The guide is in docs/ of the source, from docs/getting_started.md on; `make docs` makes web pages of it.
"""


class _Parser(argparse.ArgumentParser):
    """argparse with sentences that name what is missing, and the nearest name to what is wrong."""

    def __init__(self, **options: Any) -> None:
        # an option is written out: cut short, --n would be --no-plot, and a later option could change what it means
        super().__init__(**options, allow_abbrev=False)

    def error(self, message: str) -> None:  # type: ignore[override]
        print(f"banquise: {self._sentence(message)}\nTry: {self.prog} --help", file=sys.stderr)
        raise SystemExit(2)

    def _sentence(self, message: str) -> str:
        wrong = re.match(r"argument ([^:]+): invalid choice: '(.*?)' \(choose from", message)
        if wrong:
            action = next(a for a in self._actions if argparse._get_action_name(a) == wrong[1])
            what = f"{action.dest} " if isinstance(action, argparse._SubParsersAction) else f"{wrong[1]} "
            return f"no {what}{wrong[2]!r}. {nearest(wrong[2], action.choices or ())}"
        if message.startswith("the following arguments are required: "):
            names = message.partition(": ")[2].split(", ")
            actions = [a for a in self._actions if argparse._get_action_name(a) in names]
            return "; ".join(_missing(a) for a in actions) or message
        if message.startswith("unrecognized arguments: "):
            words = re.findall(r"(?<!\S)--?[a-z][\w-]*", message)
            close = [name for word in words for name in difflib.get_close_matches(word, _options(self), n=1)]
            message += "." * bool(close) + "".join(f" Did you mean {name!r}?" for name in close)
        return message


def _missing(action: argparse.Action) -> str:
    """An argument that must be given, and what it may be."""
    name = action.dest if isinstance(action, argparse._SubParsersAction) else argparse._get_action_name(action)
    what = ", ".join(action.choices) if action.choices else action.help
    return f"{name} is missing: {what}"


def _options(parser: argparse.ArgumentParser) -> list[str]:
    """The options of a command, but for --help, which is named anyway and is like many."""
    names = (name for action in parser._actions for name in action.option_strings)
    return [name for name in names if name != "--help"]


def _asked(parser: argparse.ArgumentParser, args: argparse.Namespace) -> argparse.ArgumentParser:
    """The parser of the command that was given, or of its action: its options are the ones to name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and getattr(args, action.dest, None) in action.choices:
            return _asked(action.choices[getattr(args, action.dest)], args)
    return parser


def build_parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="banquise", description="Ice in pieces: floes, blocks and glaciers.")
    parser.add_argument("--version", action="version", version=f"banquise {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name in COMMANDS:
        module = importlib.import_module(f"banquise.commands.{name}")
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.configure(command)
        command.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    parser = build_parser()
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        _asked(parser, args).error(f"unrecognized arguments: {' '.join(unknown)}")
    if args.command is None:
        print(_FIRST, end="")
        return 0
    try:
        return int(args.run(args))
    except BanquiseError as error:
        print(f"banquise {args.command}: {error}", file=sys.stderr)
        return 2
    except FileNotFoundError as error:
        print(f"banquise {args.command}: no such file or folder: {error.filename or error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `banquise ... | head`: nothing left to say, and no second complaint when Python flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a folder in the way, no right to write, a full disk
        what = error.filename or "the files of this command"
        print(f"banquise {args.command}: cannot use {what}: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print(f"\nbanquise {args.command}: {stop or 'stopped.'}", file=sys.stderr)
        return 130
