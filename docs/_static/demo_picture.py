"""Draws demo.png: the demo's floes at the start and at the end, with their tracks. Run: python docs/_static/demo_picture.py"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.collections import PolyCollection

from banquise.scenes.drift import drifting_floes

simulation = drifting_floes()
run = simulation.run(until="6 h", every="5 min")
fig, ax = plt.subplots(figsize=(9.6, 3.9), dpi=150)
fig.patch.set_facecolor("#0b2233")
ax.set_facecolor("#0f3a55")
ice = {"facecolor": "#eaf4fa", "edgecolor": "#7fb2cf", "linewidth": 0.8}
before = [f.polygon.exterior.coords for f in simulation.scene.floes]
after = [f.polygon.exterior.coords for f in run.scene.floes]
ax.add_collection(PolyCollection(before, facecolor="none", edgecolor="#9cc7de", linewidth=0.7, linestyle="--"))
for k in range(len(after)):
    ax.plot(run.dataset.x[:, k], run.dataset.y[:, k], color="#f2b84b", linewidth=0.9, alpha=0.9)
ax.add_collection(PolyCollection(after, **ice, zorder=3))
ax.autoscale_view()
ax.set_aspect("equal")
ax.annotate("wind 10 m/s", xy=(0.24, 0.12), xytext=(0.04, 0.12), xycoords="axes fraction", color="white", va="center",
            arrowprops={"arrowstyle": "-|>", "color": "white", "lw": 1.4})  # fmt: skip
ax.set_title(
    "Twelve floes, six hours, 81° north: thick floes turn farther to the right of the wind", color="white", fontsize=10
)
ax.set_xlabel("x (m)", color="white")
ax.set_ylabel("y (m)", color="white")
ax.tick_params(colors="white", labelsize=8)
for side in ax.spines.values():
    side.set_color("#7fb2cf")
fig.tight_layout()
fig.savefig(Path(__file__).parent / "demo.png")
