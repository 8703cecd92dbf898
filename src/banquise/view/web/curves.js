/* Small curves of the ledger under the picture, in step with the clock: drawn once, the cursor over them. */
BQ.Curves = class Curves {
  constructor(box, meta, arrays, seek) {
    this.box = box;
    this.time = arrays.curve_time;
    this.series = meta.curves.map((c, k) => {
      const values = arrays.curve_values.subarray(k * this.time.length, (k + 1) * this.time.length);
      return { ...c, values, ...Curves.make(box, c) };
    });
    for (const s of this.series) {
      const move = (event) => {
        const rect = s.canvas.getBoundingClientRect(), share = (event.clientX - rect.left) / rect.width;
        seek(this.time[0] + Math.max(0, Math.min(1, share)) * (this.time.at(-1) - this.time[0]));
      };
      s.canvas.addEventListener("pointerdown", (event) => { s.canvas.setPointerCapture(event.pointerId); move(event); });
      s.canvas.addEventListener("pointermove", (event) => { if (event.buttons) move(event); });
    }
  }

  static make(box, { label, unit }) {
    const figure = document.createElement("figure"), caption = document.createElement("figcaption");
    const name = document.createElement("span"), value = document.createElement("b"), canvas = document.createElement("canvas");
    name.textContent = label;
    name.title = unit;
    caption.append(name, value);
    figure.append(caption, canvas);
    box.append(figure);
    return { canvas, value };
  }

  resize(look) {
    const pixel = window.devicePixelRatio || 1;
    for (const s of this.series) {
      const { clientWidth: w, clientHeight: h } = s.canvas;
      if (!w || !h) continue;
      s.canvas.width = Math.round(w * pixel);
      s.canvas.height = Math.round(h * pixel);
      s.still = this.#still(s, w, h, pixel, look);
    }
  }

  #still(s, w, h, pixel, look) {
    const still = document.createElement("canvas"), g = still.getContext("2d"), n = this.time.length;
    still.width = s.canvas.width;
    still.height = s.canvas.height;
    g.scale(pixel, pixel);
    let low = Math.min(0, ...bounds(s.values)), high = Math.max(...bounds(s.values));
    if (s.format === "count" && low >= 0) low = Math.max(low, bounds(s.values)[0] - 0.5 * (high - bounds(s.values)[0]));
    if (!(high > low)) high = low + 1;
    const start = this.time[0], span = this.time.at(-1) - start || 1;
    s.at = (k) => [((this.time[k] - start) / span) * w, h - 3 - ((s.values[k] - low) / (high - low)) * (h - 7)];
    const path = new Path2D();
    for (let k = 0; k < n; k++) path.lineTo(...s.at(k));
    g.strokeStyle = look.curve;
    g.lineWidth = 1.5;
    g.lineJoin = "round";
    g.stroke(path);
    const floor = low < 0 ? h - 3 + (low / (high - low)) * (h - 7) : h; // what goes below zero is filled from there
    path.lineTo(w, floor);
    path.lineTo(0, floor);
    g.globalAlpha = 0.13;
    g.fillStyle = look.curve;
    g.fill(path);
    return still;

    function bounds(values) {
      let a = Infinity, b = -Infinity;
      for (const v of values) if (Number.isFinite(v)) { a = Math.min(a, v); b = Math.max(b, v); }
      return a <= b ? [a, b] : [0, 1];
    }
  }

  draw(t, look) {
    const pixel = window.devicePixelRatio || 1, k = Math.max(0, BQ.after(this.time, t) - 1);
    for (const s of this.series) {
      if (!s.still) continue;
      const g = s.canvas.getContext("2d"), span = this.time.at(-1) - this.time[0] || 1;
      const x = ((t - this.time[0]) / span) * s.canvas.width;
      g.clearRect(0, 0, s.canvas.width, s.canvas.height);
      g.drawImage(s.still, 0, 0);
      g.fillStyle = look.cursor;
      g.fillRect(Math.min(x, s.canvas.width - 1.5 * pixel), 0, 1.5 * pixel, s.canvas.height);
      const unit = s.unit.split(/[ ,]/)[0];
      s.value.textContent = s.format === "percent" ? `${(100 * s.values[k]).toFixed(1)} %`
        : s.format === "count" ? String(Math.round(s.values[k])) : BQ.text.number(s.values[k], unit);
    }
  }
};
