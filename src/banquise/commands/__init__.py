"""One module a command: `HELP`, `configure(parser)` and `run(args) -> int`.

They import nothing heavy at the top, so that `banquise --help` answers at once: put imports inside `run`.
"""

COMMANDS = ["demo", "run", "check", "validate", "bench", "inspect", "glacier", "warmup"]
COMMANDS += ["view", "movie", "plot", "report"]
COMMANDS += ["floes"]
COMMANDS += ["resume", "export"]
COMMANDS += ["blocks"]
COMMANDS += ["sweep"]
COMMANDS += ["new", "cite"]
