"""Draws demo.png: the demo's channel at three times. Run: banquise demo, then python docs/_static/demo_picture.py demo.nc"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import banquise as bq
from banquise.view.sea import draw_bodies, sea_axes
from banquise.view.style import side_bar, styled

run = bq.open_run(sys.argv[1])
times = run.records["time"]
with styled():
    fig, axes = plt.subplots(1, 3, figsize=(9.6, 3.7), dpi=150, sharey=True)
    for ax, frame in zip(axes, (0, len(times) // 2, len(times) - 1)):
        drawn = draw_bodies(run, frame, ax, "speed")
        sea_axes(run, ax)
        ax.set_xlim(-420, 420)
        ax.set_ylim(-320, 620)
        ax.set_title(f"{times[frame] / 60:.0f} min", loc="left")
        ax.set_xlabel("x (m)")
        ax.set_ylabel("y (m)" if ax is axes[0] else "")
    side_bar(drawn, axes[-1], "speed (m/s)")
    fig.savefig(Path(__file__).parent / "demo.png")
