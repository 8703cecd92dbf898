"""All kernels compiled at once, instead of each when it is first used."""

from __future__ import annotations

from collections.abc import Iterator


def compile_kernels(groups: list[str]) -> Iterator[str]:
    """Compile the kernels of some parts of the package (none named: all); names of the parts as they become ready.

    The cases of `banquise validate` call every kernel on small problems with the types that runs use, so they are what is
    run. Two processes, a part each: compiling holds the interpreter's lock.
    """
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    from banquise.validation import GROUPS, check_groups

    check_groups(groups)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        jobs = {pool.submit(_compile_part, name): name for name in groups or GROUPS}
        for job in as_completed(jobs):
            job.result()
            yield jobs[job]


def _compile_part(name: str) -> None:
    from banquise.validation import rows

    for _ in rows([name]):
        pass
