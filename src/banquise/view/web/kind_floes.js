/* Runs of floes: shapes, poses at any time, colours, contacts, picking. */
BQ.FloeShapes = class FloeShapes {
  constructor(meta, arrays) {
    Object.assign(this, { bodies: meta.bodies, reach: arrays.reach, disc: arrays.disc });
    const total = arrays.points.length / 2;
    this.data = arrays;
    this.x = arrays.points.subarray(0, total);
    this.y = arrays.points.subarray(total);
    this.cracked = new Uint8Array(meta.bodies);
    this.ringStart = new Int32Array(meta.bodies + 1); // first ring of a body
    this.pointStart = new Int32Array(arrays.ring_points.length + 1); // first point of a ring
    for (let i = 0; i < meta.bodies; i++) this.ringStart[i + 1] = this.ringStart[i] + arrays.ring_counts[i];
    for (let i = 0; i < arrays.ring_points.length; i++) this.pointStart[i + 1] = this.pointStart[i] + arrays.ring_points[i];
    for (let i = 0; i < meta.bodies; i++) this.eachCrack(i, () => { this.cracked[i] = 1; });
  }

  /** Call `visit(points, first)` for each ring: x0, y0, x1, y1, ... in metres, in the body's frame. */
  eachRing(body, visit) {
    const unit = this.reach[body] / 32767;
    for (let r = this.ringStart[body]; r < this.ringStart[body + 1]; r++) {
      const from = this.pointStart[r], n = this.pointStart[r + 1] - from, points = new Float64Array(2 * n);
      for (let i = 0; i < n; i++) {
        points[2 * i] = this.x[from + i] * unit;
        points[2 * i + 1] = this.y[from + i] * unit;
      }
      visit(points, from);
    }
  }

  eachCrack(body, visit) {
    const r = this.ringStart[body], from = this.pointStart[r], n = this.pointStart[r + 1] - from;
    const unit = this.reach[body] / 32767;
    for (let i = 0; i < n; i++) {
      if (!this.data.crack[from + i]) continue;
      const j = from + ((i + 1) % n);
      visit(this.x[from + i] * unit, this.y[from + i] * unit, this.x[j] * unit, this.y[j] * unit);
    }
  }

  /** Border of a body for drawing, a disc as a polygon. */
  borders(body) {
    const rings = [];
    if (this.disc[body]) {
      const n = 56, ring = new Float64Array(2 * n), r = this.reach[body];
      for (let i = 0; i < n; i++) {
        ring[2 * i] = r * Math.cos((2 * Math.PI * i) / n);
        ring[2 * i + 1] = r * Math.sin((2 * Math.PI * i) / n);
      }
      rings.push([ring, -1]);
    } else this.eachRing(body, (points, first) => rings.push([points, first]));
    return rings;
  }

  /** Vertex, triangle and edge buffers of all bodies. */
  meshes() {
    const points = [], bodies = [], triangles = [], ends = [], endBodies = [], cracks = [], reaches = [];
    let fillAt = 0;
    for (let b = 0; b < this.bodies; b++) {
      const base = bodies.length, rings = this.borders(b), count = this.data.fill_counts[b];
      for (const [ring, first] of rings) {
        const n = ring.length / 2;
        for (let i = 0; i < n; i++) {
          const j = (i + 1) % n;
          points.push(ring[2 * i], ring[2 * i + 1]);
          bodies.push(b);
          ends.push(ring[2 * i], ring[2 * i + 1], ring[2 * j], ring[2 * j + 1]);
          endBodies.push(b);
          reaches.push(this.reach[b]);
          cracks.push(first < 0 ? 0 : this.data.crack[first + i]);
        }
      }
      if (count) for (let i = 0; i < 3 * count; i++) triangles.push(base + this.data.fill[fillAt + i]);
      else for (let i = 2; i < rings[0][0].length / 2; i++) triangles.push(base, base + i - 1, base + i);
      fillAt += 3 * count;
    }
    return {
      points: new Float32Array(points), bodies: new Uint32Array(bodies), triangles: new Uint32Array(triangles),
      ends: new Float32Array(ends), endBodies: new Uint32Array(endBodies), cracks: new Uint8Array(cracks),
      reaches: new Float32Array(reaches),
    };
  }

  /** Whether a point in the body's frame lies in the body (even-odd over all its rings). */
  contains(body, x, y) {
    if (x * x + y * y > this.reach[body] ** 2) return false;
    if (this.disc[body]) return true;
    let inside = false;
    this.eachRing(body, (p) => {
      for (let i = 0, j = p.length - 2; i < p.length; j = i, i += 2) {
        if (p[i + 1] > y !== p[j + 1] > y && x < ((p[j] - p[i]) * (y - p[i + 1])) / (p[j + 1] - p[i + 1]) + p[i]) inside = !inside;
      }
    });
    return inside;
  }
};

BQ.kinds.floes = class Floes extends BQ.Kind {
  get layers() {
    return [["contacts", "Contacts", true, "e"], ["cracks", "Cracks", true], ["tracks", "Tracks", false, "t"],
      ["arrows", "Arrows", true, "a"], ["edges", "Edges", true], ["curves", "Curves", true, "l"]];
  }

  get help() {
    return "The ice: drag to pan, wheel or pinch to zoom, click a floe for its numbers";
  }

  get note() {
    const left = this.meta.contacts_left_out;
    return left ? `${left.toLocaleString("en")} of the weakest contacts are not in this page.` : "";
  }

  async load() {
    await super.load();
    const { meta, arrays: a } = this;
    this.shapes = new BQ.FloeShapes(meta, a);
    const n = meta.bodies;
    this.frame = {
      n, x: new Float64Array(n), y: new Float64Array(n), angle: new Float64Array(n), speed: new Float32Array(n),
      colour: new Uint8Array(4 * n), time: 0,
    };
    this.impulse = new Float32Array(n);
    this.cluster = new Int32Array(n);
    this.clusterSize = new Int32Array(n);
    this.children = new Map();
    a.parent.forEach((p, k) => { if (p >= 0) this.children.set(p, [...(this.children.get(p) ?? []), k]); });
    this.born = this.children.size > 0;
    const domain = meta.domain;
    this.periodic = domain?.kind === "periodic" ? domain : null;
    for (const axis of ["x", "y"]) { // tracks were packed as steps
      const path = a["track_" + axis];
      for (let i = meta.floes; i < path.length; i++) path[i] += path[i - meta.floes];
    }
    this.scales = this.#scales();
    this.typicalSize = this.#typicalSize();
  }

  /** Across the floe in which the middle square metre of ice lies. */
  #typicalSize() {
    const { arrays: a, meta } = this, order = [...Array(meta.floes).keys()].sort((i, j) => a.reach[i] - a.reach[j]);
    let left = order.reduce((sum, i) => sum + a.area[i], 0) / 2;
    for (const i of order) if ((left -= a.area[i]) <= 0) return 2 * a.reach[i];
    return 1;
  }

  #scales() {
    const { arrays: a, meta } = this;
    let thin = Infinity, thick = -Infinity, strongest = 0;
    for (let i = 0; i < meta.floes; i++) {
      thin = Math.min(thin, a.thickness[i]);
      thick = Math.max(thick, a.thickness[i]);
    }
    for (const j of a.contact_impulse) strongest = Math.max(strongest, j);
    if (!(thick > thin * (1 + 1e-6))) { thin = 0; }
    return {
      speed: [0, meta.usual_top_speed || 1], thickness: [thin, thick || 1], impulse: [strongest * 1e-3, strongest || 1],
      age: [0, this.time.at(-1) - this.time[0] || 1],
    };
  }

  /** Poses at a time: between two records, straight from one to the next. False while a chunk is on its way. */
  frameAt(t) {
    const { meta, frame, time, arrays: a } = this, n = meta.bodies, found = this.between(t);
    if (!found) return false;
    const { k, next, share, one, two, p, q } = found, [qx, qy] = meta.quantum, [ox, oy] = meta.origin;
    const there = (this.there ??= new Uint8Array(n));
    for (let i = 0; i < n; i++) {
      const floe = i < meta.floes;
      const now = !floe || (a.first[i] <= k && k <= a.last[i]), soon = !floe || (a.first[i] <= next && next <= a.last[i]);
      there[i] = (now || soon) && (!floe || (t >= a.birth[i] - 1e-9 && (t < a.end[i] || a.end[i] > time.at(-1)))) ? 1 : 0;
      const w = now && soon ? share : now ? 0 : 1, u = 1 - w;
      frame.x[i] = ox + qx * (u * one[0][p + i] + w * two[0][q + i]);
      frame.y[i] = oy + qy * (u * one[1][p + i] + w * two[1][q + i]);
      frame.angle[i] = meta.angle_quantum * (u * one[2][p + i] + w * two[2][q + i]);
      const root = (u * one[3][p + i] + w * two[3][q + i]) / meta.speed_quanta;
      frame.speed[i] = meta.top_speed * root * root;
    }
    if (this.periodic) this.#wrap(frame);
    frame.time = t;
    frame.record = k;
    this.#contacts(t);
    return true;
  }

  #wrap(frame) {
    const { xmin, xmax, ymin, ymax } = this.periodic, lx = xmax - xmin, ly = ymax - ymin;
    for (let i = 0; i < this.meta.floes; i++) {
      frame.x[i] -= lx * Math.floor((frame.x[i] - xmin) / lx);
      frame.y[i] -= ly * Math.floor((frame.y[i] - ymin) / ly);
    }
  }

  /** Impulses and clusters of the last record interval. */
  #contacts(t) {
    const { arrays: a, meta } = this;
    const from = BQ.after(a.contact_time, t - this.interval), to = BQ.after(a.contact_time, t);
    if (this.window?.[0] === from && this.window?.[1] === to) return;
    this.window = [from, to];
    const { impulse, cluster, clusterSize } = this;
    impulse.fill(0);
    clusterSize.fill(0);
    for (let i = 0; i < cluster.length; i++) cluster[i] = i;
    const root = (i) => {
      while (cluster[i] !== i) i = cluster[i] = cluster[cluster[i]];
      return i;
    };
    for (let e = from; e < to; e++) {
      const i = a.contact_a[e], j = a.contact_b[e];
      impulse[i] += a.contact_impulse[e];
      if (j < impulse.length) impulse[j] += a.contact_impulse[e];
      if (i >= meta.floes || j >= meta.floes) continue; // touching the same rock does not make a cluster
      const ri = root(i), rj = root(j);
      cluster[Math.max(ri, rj)] = Math.min(ri, rj);
    }
    for (let i = 0; i < meta.floes; i++) clusterSize[(cluster[i] = root(i))]++;
  }

  /** Fill the frame's colours: alpha 0 for what is not there, 40 for obstacles, below 255 for fresh cracks. */
  colour(mode, look) {
    const { frame, meta, there, arrays: a } = this, { colour } = frame, { tables, groups } = BQ.colours;
    const table = tables[{ speed: "speed", thickness: "ice", ice: "ice", impulse: "heat", age: "age" }[mode] ?? "ice"];
    const [low, high] = this.scales[mode === "ice" ? "thickness" : mode] ?? [0, 1];
    const logs = mode === "impulse" ? Math.log(high / low) : 1, fade = 20 * this.interval;
    for (let i = 0, c = 0; i < frame.n; i++, c += 4) {
      if (!there[i]) { colour[c + 3] = 0; continue; }
      if (i >= meta.floes) { colour.set(look.rock, c); colour[c + 3] = 40; continue; }
      let share;
      if (mode === "speed") share = frame.speed[i] / high;
      else if (mode === "thickness") share = (a.thickness[i] - low) / (high - low);
      else if (mode === "impulse") share = this.impulse[i] > low ? 0.15 + (0.85 * Math.log(this.impulse[i] / low)) / logs : 0;
      else if (mode === "age") share = (frame.time - Math.max(a.birth[i], this.time[0])) / high;
      else if (mode === "ice") share = 0.72 + 0.28 * ((a.thickness[i] - low) / (high - low));
      if (mode === "cluster") {
        const alone = this.clusterSize[this.cluster[i]] < 2;
        colour.set(alone ? look.alone : groups[(this.cluster[i] * 7) % groups.length], c);
      } else {
        const at = 3 * Math.max(0, Math.min(255, Math.round(255 * share)));
        colour[c] = table[at];
        colour[c + 1] = table[at + 1];
        colour[c + 2] = table[at + 2];
      }
      const age = frame.time - a.birth[i];
      colour[c + 3] = this.shapes.cracked[i] ? 255 - Math.round(127 * Math.max(0.35, 1 - age / fade)) : 255;
    }
  }

  legend(mode) {
    const { scales } = this, { css } = BQ.colours, { number } = BQ.text;
    if (mode === "speed") return { name: "Speed", css: css("speed"), low: "0", high: (this.meta.top_speed > scales.speed[1] ? "≥ " : "") + BQ.text.speed(scales.speed[1]) };
    if (mode === "thickness") return { name: "Thickness", css: css("ice"), low: `${+scales.thickness[0].toPrecision(2)} m`, high: `${+scales.thickness[1].toPrecision(2)} m` };
    if (mode === "impulse") return { name: "Impulse, last interval", css: css("heat"), low: number(scales.impulse[0], "N s"), high: number(scales.impulse[1], "N s") };
    if (mode === "age") return { name: "Age", css: css("age"), low: "new", high: BQ.text.clock(scales.age[1], scales.age[1]) };
    if (mode === "cluster") return { name: "Clusters: floes in contact within the last interval" };
    return { name: "Ice, whiter where thicker" };
  }

  /** Body under a point of the world, the last drawn first; -1 for open water. */
  pick(x, y) {
    const { frame, there } = this;
    for (let i = frame.n - 1; i >= 0; i--) {
      if (!there[i]) continue;
      let dx = x - frame.x[i], dy = y - frame.y[i];
      if (this.periodic && i < this.meta.floes) {
        const lx = this.periodic.xmax - this.periodic.xmin, ly = this.periodic.ymax - this.periodic.ymin;
        dx -= lx * Math.round(dx / lx);
        dy -= ly * Math.round(dy / ly);
      }
      const c = Math.cos(frame.angle[i]), s = Math.sin(frame.angle[i]);
      if (this.shapes.contains(i, c * dx + s * dy, -s * dx + c * dy)) return i;
    }
    return -1;
  }

  /** Title and rows (name, text, body to jump to) about a body. */
  describe(i) {
    const { arrays: a, meta, frame } = this, { number, area, speed, clock } = BQ.text;
    const name = meta.names[i], whole = this.time.at(-1);
    const far = Math.max(Math.abs(frame.x[i]), Math.abs(frame.y[i])) >= 1e4, unit = far ? 1000 : 1;
    const place = [frame.x[i], frame.y[i]].map((v) => (v / unit).toFixed(far ? 2 : 1)).join(", ") + (far ? " km" : " m");
    const turned = `${((frame.angle[i] * 180) / Math.PI).toFixed(1)}°`;
    if (i >= meta.floes) {
      return { title: `Obstacle ${i - meta.floes}${name ? ` · ${name}` : ""}`, rows: [["Area", area(a.area[i])], ["Place", place], ["Turned", turned]] };
    }
    const rows = [
      ["Area", area(a.area[i])], ["Thickness", `${+a.thickness[i].toPrecision(3)} m`], ["Mass", number(a.mass[i] / 1000, "t")],
      ["Speed", speed(frame.speed[i])], ["Place", place], ["Turned", turned],
    ];
    if (this.impulse[i] > 0) rows.push(["Impulse", number(this.impulse[i], "N s")]);
    if (this.clusterSize[this.cluster[i]] > 1) rows.push(["Cluster", `${this.clusterSize[this.cluster[i]]} floes`]);
    if (a.birth[i] > 0) rows.push(["Born", clock(a.birth[i], whole)]);
    if (a.end[i] <= whole) rows.push(["Ended", clock(a.end[i], whole)]);
    rows.push(["Parent", a.parent[i] >= 0 ? `floe ${a.parent[i]}` : "none"]);
    const born = this.children.get(i);
    if (born) rows.push(["Broke into", born.length > 4 ? `${born.length} floes` : born.map((c) => `${c}`).join(", ")]);
    return { title: `Floe ${i}${name ? ` · ${name}` : ""}`, rows };

  }

  get summary() {
    let n = 0;
    for (let i = 0; i < this.meta.floes; i++) n += this.there[i];
    return `${n.toLocaleString("en")} floe${n === 1 ? "" : "s"}`;
  }

  isThere(i) {
    return this.there[i] === 1;
  }

  placeOf(i) {
    return [this.frame.x[i], this.frame.y[i]];
  }

  /** The largest piece there is now of a floe that broke; -1 when there is none. */
  successor(i) {
    const pieces = (this.children.get(i) ?? []).filter((c) => this.there[c]);
    return pieces.reduce((best, c) => (best < 0 || this.arrays.area[c] > this.arrays.area[best] ? c : best), -1);
  }

  /** WebGL2 if it can be had (`wanted` may ask for one or the other); `canvas()` gives a fresh canvas. */
  createRenderer(canvas, wanted) {
    if (wanted !== "canvas") {
      try {
        const renderer = new BQ.GLRenderer(canvas(), this.shapes);
        // drawn by the processor, one path a floe is faster than all those triangles
        const slow = /swiftshader|llvmpipe|software|basic render/i.test(renderer.hardware);
        if (wanted === "webgl" || !slow) return renderer;
        renderer.gl.getExtension("WEBGL_lose_context")?.loseContext();
      } catch {
        // no WebGL2 here: the canvas below serves
      }
    }
    return new BQ.CanvasRenderer(canvas(), this.shapes);
  }

  dress(view, look, settings) {
    const across = this.typicalSize * view.scale; // pixels of a usual floe
    look.cracks = settings.cracks;
    look.line = settings.edges && across > 7 ? look.edge : null;
    look.lineWidth = across > 60 ? 1.6 : 1;
    look.shadow = across > 14 && !settings.flat ? Math.min(5, 0.03 * across + 1) : 0;
  }

  drawOver(pen, view, look, settings) {
    BQ.overlay.floes(this, pen, view, look, settings);
  }
};
