"""One module a command: `HELP`, `configure(parser)` and `run(args) -> int`.

They import nothing heavy at the top, so that `banquise --help` answers at once: put imports inside `run`.
"""

# in the order of `banquise --help`: a first run and what to do with it, then other things to run, then the package itself
COMMANDS = ["demo", "new", "check", "run", "resume", "inspect", "view", "movie", "plot", "report", "export"]
COMMANDS += ["floes", "sweep", "blocks", "glacier"]
COMMANDS += ["validate", "bench", "warmup", "cite"]
