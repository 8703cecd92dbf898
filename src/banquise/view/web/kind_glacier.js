/* Runs of a glacier: the chain of blocks from the side, its motion drawn larger, the iceberg, forces along the bed. */
BQ.kinds.glacier = class Glacier extends BQ.Kind {
  get layers() {
    return [["profile", "Displacement", true, "p"], ["bed", "Bed forces", true, "b"], ["arrows", "Arrows", true, "a"],
      ["edges", "Blocks", true, "e"], ["curves", "Curves", true, "l"]];
  }

  get help() {
    return "The glacier from the side, the sea on its left: drag to pan, wheel or pinch to zoom, click a block for its numbers";
  }

  get note() {
    const { exaggeration } = this.meta;
    return `Motion along the bed is drawn ${exaggeration.toLocaleString("en")} times as large. `
      + "The front is drawn at the height at which its ice would float.";
  }

  async load() {
    await super.load();
    const n = this.meta.bodies;
    Object.assign(this.frame, {
      n, u: new Float64Array(n), v: new Float64Array(n), force: new Float64Array(n), x: new Float64Array(n), berg: null,
      css: new Array(n),
    });
  }

  frameAt(t) {
    const { frame, meta, arrays: a } = this, found = this.between(t);
    if (!found) return false;
    const { k, next, share, one, two, p, q } = found, mix = (values) => (1 - share) * values[k] + share * values[next];
    ["u", "v", "force"].forEach((name, c) => {
      const unit = meta.units[c], into = frame[name];
      for (let i = 0; i < frame.n; i++) into[i] = unit * ((1 - share) * one[c][p + i] + share * two[c][q + i]);
    });
    for (let i = 0; i < frame.n; i++) frame.x[i] = a.x[i] + meta.exaggeration * frame.u[i];
    frame.berg = a.berg_x ? { x: mix(a.berg_x) + frame.x[0], y: mix(a.berg_y), angle: mix(a.berg_angle) } : null;
    Object.assign(frame, { contact: mix(a.contact), seismic: mix(a.seismic), record: k, time: t });
    return true;
  }

  #value(mode, i) {
    const { frame, arrays: a } = this;
    return { displacement: frame.u, velocity: frame.v, "bed force": frame.force, thickness: a.thickness }[mode][i];
  }

  colour(mode, look) {
    const { frame, meta } = this, table = BQ.colours.tables[mode === "thickness" ? "ice" : "diverging"];
    const [low, high] = meta.scales[mode];
    for (let i = 0; i < frame.n; i++) {
      const at = 3 * Math.max(0, Math.min(255, Math.round((255 * (this.#value(mode, i) - low)) / (high - low))));
      frame.css[i] = `rgb(${table[at]},${table[at + 1]},${table[at + 2]})`;
    }
    look.mode = mode;
  }

  legend(mode) {
    const [low, high] = this.meta.scales[mode], thick = mode === "thickness";
    const name = {
      displacement: "Displacement up-glacier, less the slide", velocity: "Velocity up-glacier, less the slide",
      "bed force": "Force of a block on the bed, less the steady", thickness: "Thickness",
    }[mode];
    const unit = { displacement: "m", velocity: "m/s", "bed force": "N/m", thickness: "m" }[mode];
    const text = (value) => (thick ? BQ.text.length(value) : BQ.text.number(value, unit));
    return { name, css: BQ.colours.css(thick ? "ice" : "diverging"), low: text(low), high: text(high) };
  }

  get summary() {
    const { meta } = this;
    return `${meta.blocks.toLocaleString("en")} block${meta.blocks === 1 ? "" : "s"}, ${BQ.text.length(meta.length)}, ${meta.friction}`;
  }

  /** Node whose part of the chain holds a point of the world; -1 outside the ice. */
  pick(x, y) {
    const { frame, arrays: a } = this;
    for (let i = 0; i < frame.n; i++) {
      const [from, to] = this.reach(i);
      if (x >= from && x <= to) return y >= a.bed[i] && y <= a.bed[i] + a.thickness[i] ? i : -1;
    }
    return -1;
  }

  /** From where to where along x the ice of a node lies: half way to its neighbours, and to the ends. */
  reach(i) {
    const { frame, meta } = this, { x, n } = frame;
    if (n === 1) return [x[0], x[0] + meta.length];
    return [i ? 0.5 * (x[i - 1] + x[i]) : x[0], i < n - 1 ? 0.5 * (x[i] + x[i + 1]) : x[n - 1]];
  }

  describe(i) {
    const { frame, arrays: a } = this, { number, length } = BQ.text;
    return {
      title: `Node ${i}${i ? "" : " · front"}`,
      rows: [["From the front", length(a.x[i])], ["Thickness", `${+a.thickness[i].toPrecision(4)} m`],
        ["Displacement", number(frame.u[i], "m")], ["Velocity", number(frame.v[i] + this.meta.slide, "m/s")],
        ["Force on the bed", number(frame.force[i], "N/m")]],
    };
  }

  placeOf(i) {
    return [this.frame.x[i], this.arrays.bed[i] + this.arrays.thickness[i] / 2];
  }

  createRenderer(canvas) {
    return new BQ.GlacierRenderer(canvas(), this);
  }

  dress(view, look, settings) {
    look.lines = settings.edges;
  }

  drawOver(pen, view, look, settings) {
    if (settings.profile) this.#profile(pen, view, look);
    if (settings.bed) this.#bed(pen, view, look);
    if (settings.arrows) this.#forces(pen, view, look);
    if (settings.selected >= 0) this.#selected(pen, view, look, settings.selected);
    BQ.overlay.scaleBar(pen, view, look);
  }

  /** Displacement along the chain, over the ice: where it is, how far it has moved. */
  #profile(pen, view, look) {
    const { frame, meta, arrays: a } = this, [, most] = meta.scales.displacement;
    const top = view.toScreen(0, meta.top)[1] - 14, tall = Math.max(40, Math.min(150, 0.34 * view.height, top - 30));
    const base = top - tall / 2, [x0] = view.toScreen(a.x[0], 0), [x1] = view.toScreen(meta.length, 0);
    pen.save();
    pen.strokeStyle = look.faint;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x0, base);
    pen.lineTo(x1, base);
    pen.stroke();
    pen.strokeStyle = look.curve;
    pen.lineWidth = 2;
    pen.lineJoin = "round";
    pen.beginPath();
    for (let i = 0; i < frame.n; i++) pen.lineTo(view.toScreen(a.x[i], 0)[0], base - (frame.u[i] / most) * (tall / 2));
    if (frame.n === 1) pen.lineTo(x1, base - (frame.u[0] / most) * (tall / 2));
    pen.stroke();
    label(pen, look, `displacement, ± ${BQ.text.number(most, "m")}`, Math.max(12, x0 + 8), top - tall - 2);
    pen.restore();
  }

  /** Force of every block on the bed, under it: down where it pushes up-glacier. */
  #bed(pen, view, look) {
    const { frame, meta, arrays: a } = this, [, most] = meta.scales["bed force"], tall = Math.min(60, 0.12 * view.height);
    pen.save();
    pen.fillStyle = look.current;
    pen.globalAlpha = 0.8;
    for (let i = 0; i < frame.n; i++) {
      const [from, to] = this.reach(i), [x, y] = view.toScreen(from, a.bed[i]), width = Math.max(1, (to - from) * view.scale);
      const size = (Math.abs(frame.force[i]) / most) * tall;
      if (size > 0.3) pen.fillRect(x, y + 5, Math.max(0.8, width - 0.5), size);
    }
    pen.globalAlpha = 1;
    const [x, y] = view.toScreen(a.x[0], a.bed[0]);
    label(pen, look, `on the bed, ${BQ.text.number(most, "N/m")} a block at most`, Math.max(12, x + 8), y + tall + 18);
    pen.restore();
  }

  /** The push on the front and the sum on the bed, as arrows with their sizes. */
  #forces(pen, view, look) {
    const { frame, meta, arrays: a } = this, longest = 0.16 * view.width;
    const rows = [["contact", frame.contact, meta.scales.contact, a.bed[0] + 0.55 * a.thickness[0], look.wind],
      ["seismic", frame.seismic, meta.scales.seismic, a.bed[0] + 0.06 * a.thickness[0], look.current]];
    let above = -Infinity;
    for (const [name, force, most, height, colour] of rows) {
      const [x, at] = view.toScreen(frame.x[0], height), size = (longest * force) / most, y = Math.max(at, above + 23);
      if (Math.abs(size) < 1.5) continue;
      above = y; // in a thin glacier the texts would lie on each other
      pen.save();
      pen.strokeStyle = pen.fillStyle = colour;
      pen.lineWidth = 3;
      const tip = x + 2 + Math.max(0, size), tail = tip - size, head = Math.sign(size) * Math.min(9, Math.abs(size));
      pen.beginPath();
      pen.moveTo(tail, y);
      pen.lineTo(tip - head, y);
      pen.stroke();
      pen.beginPath();
      pen.moveTo(tip, y);
      pen.lineTo(tip - head, y - 6);
      pen.lineTo(tip - head, y + 6);
      pen.fill();
      label(pen, look, `${name} ${BQ.text.number(force, "N/m")}`, Math.max(tip, tail) + 8, y);
      pen.restore();
    }
  }

  #selected(pen, view, look, i) {
    const { arrays: a } = this, [from, to] = this.reach(i);
    const [x0, y0] = view.toScreen(from, a.bed[i] + a.thickness[i]), [x1, y1] = view.toScreen(to, a.bed[i]);
    pen.save();
    pen.strokeStyle = look.pick;
    pen.lineWidth = 2.5;
    pen.strokeRect(x0, y0, Math.max(2, x1 - x0), y1 - y0);
    pen.restore();
  }
};

/** A text on a plate, its middle left at a point. */
function label(pen, look, text, x, y) {
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillStyle = look.plate;
  pen.beginPath();
  pen.roundRect(x - 6, y - 10, pen.measureText(text).width + 12, 20, 8);
  pen.fill();
  pen.fillStyle = look.text;
  pen.fillText(text, x, y + 0.5);
}

/** Sky, sea, iceberg, ice and bed with Canvas 2D: a chain of thousands of blocks is a light picture. */
BQ.GlacierRenderer = class GlacierRenderer {
  constructor(canvas, run) {
    this.name = "canvas";
    this.canvas = canvas;
    this.run = run;
    this.context = canvas.getContext("2d", { alpha: false });
  }

  draw(frame, view, look) {
    const { context: g, canvas, run } = this, { meta, arrays: a } = run, pixel = canvas.width / view.width;
    g.setTransform(pixel, 0, 0, pixel, 0, 0);
    g.fillStyle = look.sky;
    g.fillRect(0, 0, view.width, view.height);
    const [front, water] = view.toScreen(frame.x[0], 0);
    g.fillStyle = look.sea_css;
    g.fillRect(0, Math.max(0, water), Math.max(0, front), view.height);
    if (frame.berg) this.#berg(g, view, frame.berg, meta.berg, look);
    this.#bed(g, view, look);
    for (let i = 0; i < frame.n; i++) {
      const [from, to] = run.reach(i), [x0] = view.toScreen(from, 0), [x1] = view.toScreen(to, 0);
      if (x1 < -1 || x0 > view.width + 1) continue;
      const edge = (k, share) => { // bed and surface half way to a neighbour
        const j = Math.max(0, Math.min(frame.n - 1, k));
        const bed = a.bed[i] + share * (a.bed[j] - a.bed[i]);
        return [bed, bed + a.thickness[i] + share * (a.thickness[j] - a.thickness[i])];
      };
      const [b0, t0] = edge(i - 1, i ? 0.5 : 0), [b1, t1] = edge(i + 1, 0.5), y = (h) => view.toScreen(0, h)[1];
      g.fillStyle = g.strokeStyle = frame.css[i];
      g.lineWidth = 0.6; // closes the seam between neighbours
      g.beginPath();
      g.moveTo(x0, y(b0));
      g.lineTo(x1, y(b1));
      g.lineTo(x1, y(t1));
      g.lineTo(x0, y(t0));
      g.closePath();
      g.fill();
      g.stroke();
      if (look.lines && i && x1 - x0 > 5) {
        g.strokeStyle = `rgba(${look.edge.join(",")})`;
        g.beginPath();
        g.moveTo(x0, y(b0));
        g.lineTo(x0, y(t0));
        g.stroke();
      }
    }
  }

  #berg(g, view, { x, y, angle }, { width, height }, look) {
    const c = Math.cos(angle), s = Math.sin(angle);
    g.fillStyle = `rgb(${look.alone.join(",")})`;
    g.strokeStyle = `rgba(${look.edge.join(",")})`;
    g.lineWidth = 1.2;
    g.beginPath();
    for (const [i, j] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
      const p = (i * width) / 2, q = (j * height) / 2;
      g.lineTo(...view.toScreen(x + c * p - s * q, y + s * p + c * q));
    }
    g.closePath();
    g.fill();
    g.stroke();
  }

  #bed(g, view, look) {
    const { arrays: a, meta } = this.run, n = a.x.length, far = view.toWorld(view.width, 0)[0];
    const slope = n > 1 ? (a.bed[n - 1] - a.bed[n - 2]) / (a.x[n - 1] - a.x[n - 2]) : meta.slope;
    g.fillStyle = look.ground;
    g.beginPath();
    g.moveTo(-2, view.height + 2);
    g.lineTo(...view.toScreen(view.toWorld(-2, 0)[0], a.bed[0]));
    for (let i = 0; i < n; i++) g.lineTo(...view.toScreen(a.x[i], a.bed[i]));
    const end = a.x[n - 1], on = Math.max(far, end);
    g.lineTo(...view.toScreen(on, a.bed[n - 1] + slope * (on - end)));
    g.lineTo(Math.max(view.width, view.toScreen(on, 0)[0]) + 2, view.height + 2);
    g.fill();
  }
};
