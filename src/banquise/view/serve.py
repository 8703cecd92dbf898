"""Serve the player of a very large run to this machine, its chunks loaded when they are needed."""

from __future__ import annotations

import functools
import http.server
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from banquise.errors import RunFileError
from banquise.view.player import write_folder


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not news."""


@contextmanager
def served(run: Any, port: int = 0, **options: Any) -> Iterator[str]:
    """The address of a run's player while the block lasts; on the loopback interface only."""
    with tempfile.TemporaryDirectory(prefix="banquise-") as folder:
        write_folder(run, Path(folder), **options)
        handler = functools.partial(_Quiet, directory=folder)
        try:
            server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        except (OSError, OverflowError) as problem:
            raise RunFileError(f"--port {port}: cannot be used ({problem}). Leave it out for any free one.") from None
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def serve(run: Any, port: int, opens: bool, options: dict[str, Any]) -> None:
    """Serve until interrupted."""
    with served(run, port, **options) as address:
        print(f"{address} (this machine only; Ctrl-C ends it)", flush=True)
        if opens:
            import webbrowser

            webbrowser.open(address)
        threading.Event().wait()
