"""Stop and go on: the same bits, no record missing or doubled, whatever stops the run."""

from __future__ import annotations

import errno
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import banquise as bq
from banquise.cli import main
from banquise.errors import CaseError, RunFileError
from banquise.recording import recorder as recorder_module
from banquise.recording.checkpoint import not_stored
from banquise.recording.recorder import pieces_of
from banquise.recording.run_file import open_run
from banquise.recording.write_run import STATE_ATTRS
from banquise.scenes.drift import drifting_floes
from banquise.threads import set_threads, threads

UNTIL, EVERY = 1500.0, 100.0


def simulation(**options) -> bq.Simulation:
    """Floes that meet each other and a moving rock, under a changing wind and a load, on the turning Earth."""
    turn = np.linspace(0, 2 * np.pi, 7, endpoint=False)
    shape = 20 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    floes = [
        bq.Floe(shape + np.array([60.0 * k, 3.0 * k]), velocity=(0.1 * (2 - k), 0), spin=1e-3 * k) for k in range(5)
    ]
    rock = bq.Obstacle([(300, -100), (400, -100), (350, 90)], velocity=(-0.05, 0.0), spin=1e-5)
    forcing = bq.Forcing(
        wind=bq.Series([0, 2000, 9000], [10, -3, 5], [0, 4, 1], after_end="hold"),
        current=(0.05, 0.0),
        latitude=81.0,
        loads=[bq.Load(floe=1, force=(500.0, 100.0), torque=30.0, start=150.5, stop=934.5)],
    )
    return bq.Simulation(bq.Scene(floes, [rock]), forcing, scheme=bq.EventDriven(max_step=25.0), **options)


@pytest.fixture
def often(monkeypatch):
    """A piece and a checkpoint at every chance."""
    monkeypatch.setattr(recorder_module, "PIECE_SECONDS", 0.0)
    monkeypatch.setattr(recorder_module, "SHARE", 1.0)


@pytest.fixture(scope="module")
def whole():
    """The run that nothing stopped; it has impacts."""
    run = simulation().run(UNTIL, EVERY)
    assert len(run.events) > 2
    return run


def assert_same(run, whole):
    """Bit for bit: state, ledger, times (so none missing or doubled), loads and events."""
    for name in STATE_ATTRS:
        np.testing.assert_array_equal(run.dataset[name].values, whole.dataset[name].values, err_msg=name)
    for name in ("time", "ledger", "loads", "events"):
        np.testing.assert_array_equal(run.records[name], whole.records[name], err_msg=name)


def test_all_state_is_stored():
    assert not_stored(simulation()) == []


@pytest.mark.parametrize("first", [100.0, pytest.param(1400.0, marks=pytest.mark.slow)])
def test_a_finished_run_taken_further(tmp_path, whole, first):
    simulation().run(first, EVERY, output=tmp_path / "run.nc")
    run = bq.resume(tmp_path / "run.nc", until=UNTIL)
    assert_same(run, whole)
    assert_same(open_run(tmp_path / "run.nc"), whole)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_stopped_before_the_pieces_are_cleared(tmp_path, monkeypatch, whole):
    with monkeypatch.context() as stopped:
        stopped.setattr(recorder_module.Recorder, "remove_pieces", lambda self: None)
        simulation().run(UNTIL, EVERY, output=tmp_path / "run.nc")
    assert pieces_of(tmp_path / "run.nc").is_dir()
    assert_same(bq.resume(tmp_path / "run.nc"), whole)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]
    with pytest.raises(CaseError, match="already"):
        bq.resume(tmp_path / "run.nc")


def test_times_that_are_no_binary_numbers(tmp_path):
    """Records every 0.1 s to 0.3 s, then on: 3 x 0.1 is not 0.3 in binary."""
    drifting_floes().run(0.3, 0.1, output=tmp_path / "run.nc")
    run = bq.resume(tmp_path / "run.nc", until=0.7)
    assert_same(run, drifting_floes().run(0.7, 0.1))
    np.testing.assert_array_equal(run.dataset.time, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])


class Stop(Exception):
    """Raised by a callback, as a bug in a user's script would be."""


def test_from_a_checkpoint_in_the_middle(tmp_path, often):
    """A callback that fails stops the run anywhere; it goes on from the last checkpoint."""

    def fail(sim):
        if sim.time > 700:
            raise Stop

    with pytest.raises(Stop):
        simulation().run(UNTIL, EVERY, output=tmp_path / "run.nc", callbacks=[bq.Every(37.0, fail)])
    stopped = open_run(tmp_path / "run.nc")
    n = stopped.dataset.sizes["time"]
    assert n >= 6
    assert len(list(pieces_of(tmp_path / "run.nc").glob("*.checkpoint"))) <= recorder_module.KEEP
    # the callback's instants cut steps: the run it is compared with must have them too
    same = simulation().run(UNTIL, EVERY, callbacks=[bq.Every(37.0, lambda sim: None)])
    np.testing.assert_array_equal(stopped.dataset.x.values, same.dataset.x.values[:n])
    assert_same(bq.resume(tmp_path / "run.nc", callbacks=[bq.Every(37.0, lambda sim: None)]), same)


def crowd() -> bq.Simulation:
    """A pack pressed into a corner of a box by wind, rubbing: groups in contact at every step, impulses remembered."""
    scene = bq.pack(8, 0.72, bq.Box(0.0, 200.0, 0.0, 200.0), seed=8)
    forcing = bq.Forcing(wind=(14.0, 9.0), current=(0.0, 0.0), latitude=81.0)
    return bq.Simulation(scene, forcing, bq.Contact(friction=0.7, restitution=0.2), bq.EventDriven(max_step=5.0))


def killed(what, after: float) -> None:
    """A function in a child process, killed without mercy after so many seconds of its CPU time (of the clock elsewhere).

    CPU time: on a busy machine the clock says nothing of how far the child has come.
    """
    child = os.fork()
    if child == 0:
        try:
            what()
        finally:
            os._exit(0)
    used, began = Path(f"/proc/{child}/schedstat"), time.monotonic()
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        seconds = 1e-9 * int(used.read_text().split()[0]) if used.exists() else time.monotonic() - began
        if seconds >= after:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            break
        time.sleep(0.001)


def assert_readable(path: Path, whole) -> int:
    """What a killed run left is the beginning of the whole run, bit for bit; how many records there are."""
    try:
        left = open_run(path)
    except RunFileError as problem:  # only where nothing was recorded yet
        assert any(text in str(problem) for text in ("no records", "without their start", "no such"))
        return 0
    n = left.dataset.sizes["time"]
    for name in ("time", "state", "ledger", "loads"):
        np.testing.assert_array_equal(left.records[name], whole.records[name][:n], err_msg=name)
    return n


def kill_and_resume(tmp_path, make, plan, whole, kills: int) -> int:
    """Kill runs at random moments, and every other time the run that goes on too; how many kills left part of a run."""
    before = threads()
    set_threads(1)  # a fork must not inherit a pool whose threads are not there
    try:
        make().run(*plan, output=tmp_path / "timed.nc")  # imports and first calls are not to be timed
        began = time.process_time()
        make().run(*plan, output=tmp_path / "timed.nc")
        length = time.process_time() - began
        rng = np.random.default_rng(7)
        within = done = 0
        while done < kills:
            path = tmp_path / f"{done}.nc"
            killed(lambda path=path: make().run(*plan, output=path), float(rng.uniform(0, 1.1 * length)))
            n = assert_readable(path, whole)
            done += 1
            while n and pieces_of(path).exists() and done < kills and rng.random() < 0.5:
                within += 1
                killed(lambda path=path: bq.resume(path), float(rng.uniform(0, length)))
                n = assert_readable(path, whole)
                done += 1
            if n and pieces_of(path).exists():
                within += 1
                bq.resume(path)
            if n:
                assert_same(open_run(path), whole)
                assert not pieces_of(path).exists()
    finally:
        set_threads(before)
    return within


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_kill_at_random_moments(tmp_path, whole, often):
    kill_and_resume(tmp_path, simulation, (UNTIL, EVERY), whole, 4)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(("make", "plan"), [(simulation, (UNTIL, EVERY)), (crowd, (600.0, 20.0))])
def test_kill_at_fifty_random_moments(tmp_path, often, make, plan):
    whole = make().run(*plan)
    assert float(whole.ledger.contacts.max()) > 0
    # about half of them; the others come before the first record or after the end
    assert kill_and_resume(tmp_path, make, plan, whole, 50) > 12


def test_torn_files_are_passed_over(tmp_path, whole, often):
    """The newest checkpoint damaged: the one before serves; a temporary file left behind is no piece."""

    def fail(sim):
        if sim.time > 500:
            raise Stop

    with pytest.raises(Stop):
        simulation().run(UNTIL, EVERY, output=tmp_path / "run.nc", callbacks=[fail])
    folder = pieces_of(tmp_path / "run.nc")
    newest = sorted(folder.glob("*.checkpoint"))[-1]
    newest.write_bytes(newest.read_bytes()[:-100])
    (folder / "000099.bin.tmp").write_bytes(b"half")
    assert_same(bq.resume(tmp_path / "run.nc"), whole)


CASE = """
[[scene.floes]]
centre = [0.0, 0.0]
radius = 20.0
[forcing]
wind = [10.0, 0.0]
current = [0.0, 0.0]
[scheme]
max_step = 10.0
[run]
until = "200 days"
every = "10 s"
"""


@pytest.mark.parametrize(
    ("number", "code"), [pytest.param(signal.SIGINT, 130, marks=pytest.mark.slow), (signal.SIGTERM, 143)]
)
def test_signals_stop_cleanly(tmp_path, number, code):
    (tmp_path / "case.toml").write_text(CASE)
    package = Path(bq.__file__).resolve().parents[1]
    child = subprocess.Popen(
        [sys.executable, "-m", "banquise", "run", "case.toml", "--quiet"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(package)},
        stderr=subprocess.PIPE,
        text=True,
    )
    start = tmp_path / "case.nc.pieces" / "000001.checkpoint"
    for _ in range(600):
        if start.exists() or child.poll() is not None:
            break
        time.sleep(0.1)
    time.sleep(0.3)
    child.send_signal(number)
    _, said = child.communicate(timeout=60)
    assert child.returncode == code, said
    assert "stopped at" in said and "banquise resume case.nc" in said and "Traceback" not in said
    stopped = open_run(tmp_path / "case.nc")
    assert stopped.dataset.sizes["time"] > 1
    seconds = 10 * (stopped.dataset.sizes["time"] + 2)
    assert main(["resume", str(tmp_path / "case.nc"), "--until", f"{seconds} s", "--quiet"]) == 0
    case = bq.load_case(tmp_path / "case.toml")
    assert_same(open_run(tmp_path / "case.nc"), case.run(output=None, until=seconds))


def test_disk_full(tmp_path, whole, often, monkeypatch):
    """After some pieces the disk is full: a clear sentence, what was written is readable, and the run can go on."""
    real = recorder_module.write_sealed
    count = 0

    def full(path, content):
        nonlocal count
        count += 1
        if count > 40:  # of 87
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(path, content)

    monkeypatch.setattr(recorder_module, "write_sealed", full)
    monkeypatch.setattr(recorder_module, "SHARE", math.inf)  # slow disks have as many pieces
    with pytest.raises(
        RunFileError, match=r"run.nc: cannot write \(No space left on device\). What was written before is kept"
    ):
        simulation().run(UNTIL, EVERY, output=tmp_path / "run.nc")
    n = open_run(tmp_path / "run.nc").dataset.sizes["time"]
    assert n >= 4
    monkeypatch.setattr(recorder_module, "write_sealed", real)
    monkeypatch.setattr(recorder_module, "SHARE", 1.0)
    assert_same(bq.resume(tmp_path / "run.nc"), whole)


def test_killed_before_the_pieces_are_joined(tmp_path, whole, often, monkeypatch):
    """Everything is recorded, the run file not yet made: resume makes it."""
    from banquise import simulation as module

    def die(*a, **k):
        raise Stop

    monkeypatch.setattr(module, "write_run", die)
    with pytest.raises(Stop):
        simulation().run(UNTIL, EVERY, output=tmp_path / "run.nc")
    monkeypatch.undo()
    assert_same(bq.resume(tmp_path / "run.nc", progress=True), whole)


def test_disk_full_at_the_end(tmp_path, whole, monkeypatch):
    """No room for the run file itself: the pieces stay, and joining them later gives the same run."""
    from banquise.recording import write_run as writer

    def full(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writer, "seal", full)
    with pytest.raises(RunFileError, match="No space left"):
        simulation().run(UNTIL, EVERY, output=tmp_path / "run.nc")
    assert not (tmp_path / "run.nc").exists() and not (tmp_path / "run.nc.tmp").exists()
    monkeypatch.undo()
    assert_same(open_run(tmp_path / "run.nc"), whole)


def test_read_only_folder(tmp_path, monkeypatch):
    sealed_off = tmp_path / "closed"
    sealed_off.mkdir()
    monkeypatch.setattr(recorder_module.os, "access", lambda path, mode: False)
    with pytest.raises(RunFileError, match="cannot be written to"):
        simulation().run(10.0, output=sealed_off / "run.nc")
    monkeypatch.undo()

    def refuse(self, *a, **k):
        raise PermissionError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(RunFileError, match="Read-only file system"):
        simulation().run(10.0, output=sealed_off / "run.nc")


@pytest.fixture
def small_disk(tmp_path):
    """A true file system of 200 kB; only root may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    asked = ["-t", "tmpfs", "-o", "size=200k", "none", place]
    if mount is None or os.geteuid() or subprocess.run([mount, *asked], capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_disk_that_fills(small_disk, tmp_path, often):
    """The kernel's own refusal: what was written before is readable, and goes on to the same bits when there is room."""
    whole = drifting_floes(25).run(6000.0, 100.0)
    with pytest.raises(RunFileError, match="No space left on device"):
        drifting_floes(25).run(6000.0, 100.0, output=small_disk / "run.nc")
    assert_readable(small_disk / "run.nc", whole)
    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    assert_same(bq.resume(small_disk / "run.nc"), whole)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert_same(open_run(small_disk / "run.nc"), whole)
    for go in (
        lambda: drifting_floes(3).run(100.0, output=small_disk / "other.nc"),
        lambda: bq.resume(small_disk / "run.nc", until=7000.0),
    ):
        with pytest.raises(RunFileError, match="Read-only file system|cannot be written to"):
            go()
    assert_same(open_run(small_disk / "run.nc"), whole)


@pytest.mark.parametrize("domain", [None, bq.Box(-50, 50, -50, 50), bq.Periodic(-50, 50, -50, 50)])
def test_functions_need_the_script(tmp_path, domain):
    def make():
        return bq.Simulation(
            bq.Scene([bq.Disc((0, 0), 10.0)], domain=domain),
            bq.Forcing(current=lambda x, y, t: (0.1 + 1e-5 * x, 1e-4 * t)),
            scheme=bq.EventDriven(max_step=2.0),
        )

    make().run(100.0, 10.0, output=tmp_path / "run.nc")
    with pytest.raises(RunFileError, match="simulation=sim"):
        bq.resume(tmp_path / "run.nc", until=200.0)
    run = bq.resume(tmp_path / "run.nc", until=200.0, simulation=make())
    assert_same(run, make().run(200.0, 10.0))
    with pytest.raises(CaseError, match="seed is 3"):
        other = make()
        other.seed = 3
        bq.resume(tmp_path / "run.nc", until=300.0, simulation=other)


def test_a_newer_run_in_pieces_is_not_taken_for_the_old_file(tmp_path, often):
    """A new run to the same name, stopped: reading must not hand back the run before it."""
    drifting_floes(4).run(1000.0, 100.0, output=tmp_path / "run.nc")

    def fail(sim):
        if sim.time > 500:
            raise Stop

    with pytest.raises(Stop):
        drifting_floes(6).run(1000.0, 100.0, output=tmp_path / "run.nc", callbacks=[fail])
    assert open_run(tmp_path / "run.nc").dataset.sizes["floe"] == 6
    assert bq.resume(tmp_path / "run.nc").dataset.sizes == {"time": 11, "floe": 6}


def test_nothing_to_resume(tmp_path, capsys):
    assert main(["resume", str(tmp_path / "none.nc")]) == 2
    assert "no such run file" in capsys.readouterr().err
    drifting_floes().run(100.0, 50.0, output=tmp_path / "run.nc")
    assert main(["resume", str(tmp_path / "run.nc")]) == 2
    assert "the run is at 100 s already" in capsys.readouterr().err
    (tmp_path / "empty.nc.pieces").mkdir()
    assert main(["resume", str(tmp_path / "empty.nc")]) == 2
    assert "before its first checkpoint" in capsys.readouterr().err


def test_stopped_before_the_first_checkpoint(tmp_path, monkeypatch):
    """Settings are there, no checkpoint yet: the run begins again."""

    def die(self, checkpoint):
        self.flush()
        raise Stop

    monkeypatch.setattr(recorder_module.Recorder, "save", die)
    with pytest.raises(Stop):
        drifting_floes(3).run(100.0, 50.0, output=tmp_path / "run.nc")
    monkeypatch.undo()
    assert open_run(tmp_path / "run.nc").dataset.sizes["time"] == 1
    assert_same(bq.resume(tmp_path / "run.nc"), drifting_floes(3).run(100.0, 50.0))


def test_every_step_goes_on_alike():
    """From a snapshot before each step of a run with contacts, the step comes out the same to the last bit."""
    from banquise.recording.checkpoint import restore, snapshot

    def advance(sim):
        sim.scheme.advance(sim, 37.0 * (int(sim.time / 37.0 + 1e-9) + 1))

    def columns(sim):
        b = sim.bodies
        return np.concatenate([b.x, b.y, b.angle, b.u, b.v, b.spin])

    sim = simulation()
    while sim.time < 1000.0:
        taken = snapshot(sim, {})
        advance(sim)
        other = simulation()
        restore(other, taken)
        advance(other)
        np.testing.assert_array_equal(columns(other), columns(sim), err_msg=f"step to {sim.time}")


def test_one_run_at_a_time_writes_to_a_file(tmp_path, capsys):
    """A second start, or a resume of a run that is still going, would write between its pieces."""
    path = tmp_path / "run.nc"
    said = []

    def meanwhile(_):
        for start in (lambda: drifting_floes(2).run(until=60.0, output=path), lambda: bq.resume(path)):
            with pytest.raises(RunFileError, match="still going") as refused:
                start()
            said.append(str(refused.value))

    run = drifting_floes(2).run(until=600.0, every=60.0, output=path, callbacks=[bq.Every(300.0, meanwhile)])
    assert len(said) >= 2 and run.dataset.sizes["time"] == 11
    assert bq.resume(path, until=660.0).dataset.sizes["time"] == 12  # let go of at its end


def test_a_run_that_ended_in_an_error_is_let_go_of(tmp_path):
    path = tmp_path / "run.nc"

    def fails(_):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine") as held:  # the traceback keeps the recorder, as a notebook does
        drifting_floes(2).run(until=600.0, every=60.0, output=path, callbacks=[bq.Every(300.0, fails)])
    assert bq.resume(path).dataset.sizes["time"] == 11 and held


def test_progress_counts_from_the_start_of_the_run(tmp_path, capsys):
    """A run at half of its time said 0 % when it was taken further."""
    path = tmp_path / "run.nc"
    drifting_floes(2).run(until=900.0, every=300.0, output=path)

    def stop(_):
        raise ValueError

    capsys.readouterr()
    with pytest.raises(ValueError):
        bq.resume(path, until=1200.0, callbacks=[bq.Every(1000.0, stop)], progress=True)
    assert "1,000 of 1,200 s (83 %)" in capsys.readouterr().err
