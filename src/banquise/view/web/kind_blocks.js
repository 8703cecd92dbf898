/* Runs of blocks: poses in space at any time, colours, picking. */
BQ.kinds.blocks = class Blocks extends BQ.Kind {
  get layers() {
    return [["edges", "Edges", true, "e"], ["walls", "Walls", true, "w"], ["axes", "Axes", true, "a"], ["curves", "Curves", true, "l"]];
  }

  get help() {
    return "The blocks: drag to turn, drag with two fingers or with shift to shift, wheel or pinch to zoom, click a block for its numbers";
  }

  get note() {
    return "Drag turns, shift and drag shifts. Fixed blocks that stand beside the others are drawn as glass.";
  }

  async load() {
    await super.load();
    const n = this.meta.bodies;
    this.frame = {
      n, place: new Float64Array(3 * n), turn: new Float64Array(4 * n), colour: new Uint8Array(3 * n),
      speed: new Float32Array(n), force: new Float32Array(n),
    };
  }

  createView() {
    return new BQ.SpaceView(this);
  }

  createRenderer(canvas, wanted) {
    if (wanted !== "canvas" && typeof WebGL2RenderingContext !== "undefined") {
      try {
        this.renderer = new BQ.SpaceRenderer(canvas(), this);
        return this.renderer;
      } catch (problem) {
        console.info(problem);
      }
    }
    this.renderer = null;
    BQ.fail(new Error("blocks are drawn with WebGL 2, which this browser does not offer."));
    return { name: "none", draw() {} };
  }

  /** Poses at a time: between two records straight on, and along the shorter turn. */
  frameAt(t) {
    const found = this.between(t);
    if (!found) return false;
    const { k, share: w, one, two, p, q } = found, u = 1 - w, { meta, frame } = this;
    for (let i = 0; i < meta.bodies; i++) {
      for (let c = 0; c < 3; c++) frame.place[3 * i + c] = meta.origin[c] + meta.quantum * (u * one[c][p + i] + w * two[c][q + i]);
      let size = 0, same = 0;
      for (let c = 3; c < 7; c++) same += one[c][p + i] * two[c][q + i];
      for (let c = 0; c < 4; c++) { // w, x, y, z in the run; x, y, z, w in three.js
        const value = u * one[3 + c][p + i] + (same < 0 ? -w : w) * two[3 + c][q + i];
        frame.turn[4 * i + ((c + 3) % 4)] = value;
        size += value * value;
      }
      for (let c = 0; c < 4; c++) frame.turn[4 * i + c] /= Math.sqrt(size) || 1;
      const speed = (u * one[7][p + i] + w * two[7][q + i]) / meta.share_quanta;
      frame.speed[i] = meta.top.speed * speed * speed;
      const force = two[8][q + i] / meta.share_quanta; // a mean over the interval that ends with the next record
      frame.force[i] = meta.top.force * force * force;
    }
    frame.time = t;
    frame.record = k;
    return true;
  }

  colour(mode, look) {
    const { frame, meta, arrays: a } = this, { tables, groups, parse } = BQ.colours, { colour } = frame;
    const table = tables[mode === "force" ? "heat" : "speed"], top = meta.usual[mode] || 1;
    for (let i = 0; i < frame.n; i++) {
      if (i === this.selected) colour.set(parse(look.pick), 3 * i);
      else if (mode === "material") colour.set(groups[a.material[i] % groups.length], 3 * i);
      else if (a.fixed[i]) colour.set(look.rock, 3 * i);
      else if (mode === "block") colour.set(groups[(7 * i) % groups.length], 3 * i);
      else {
        const share = Math.sqrt(frame[mode][i] / top); // most blocks are slow and hardly pressed
        const at = 3 * Math.max(0, Math.min(255, Math.round(255 * share)));
        colour.set(table.subarray(at, at + 3), 3 * i);
      }
    }
  }

  legend(mode) {
    const { meta } = this, { css } = BQ.colours, more = (name) => (meta.top[name] > meta.usual[name] ? "≥ " : "");
    if (mode === "speed") return { name: "Speed (square-root scale)", css: css("speed"), low: "0", high: more("speed") + BQ.text.speed(meta.usual.speed) };
    if (mode === "force") return { name: "Contact force (square-root scale)", css: css("heat"), low: "0", high: more("force") + BQ.text.number(meta.usual.force, "N") };
    if (mode === "material") return { name: `Material: ${meta.materials.join(", ")}` };
    return { name: "Each block its colour" };
  }

  dress(view, look, settings) {
    this.selected = settings.selected;
    Object.assign(look, { edges: settings.edges, walls: settings.walls });
    look.paper = getComputedStyle(document.documentElement).getPropertyValue("--page").trim();
  }

  /** The axes, in a corner, as the camera sees them. */
  drawOver(pen, view, look, settings) {
    if (!settings.axes) return;
    const e = view.place().matrixWorldInverse.elements, x = 92, y = view.height - 44;
    pen.save();
    pen.font = "600 12px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineWidth = 2;
    for (const [k, name, colour] of [[0, "x", "#c2453d"], [1, "y", "#2f8f4e"], [2, "z", "#2f6fb5"]]) {
      const [dx, dy] = [26 * e[4 * k], -26 * e[4 * k + 1]];
      pen.strokeStyle = pen.fillStyle = colour;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + dx, y + dy);
      pen.stroke();
      pen.fillText(name, x + 1.35 * dx, y + 1.35 * dy);
    }
    pen.restore();
  }

  pickAt(view, px, py) {
    return this.renderer ? this.renderer.pick(view, px, py) : -1;
  }

  placeOf(i) {
    return [...this.frame.place.subarray(3 * i, 3 * i + 3)];
  }

  describe(i) {
    const { arrays: a, meta, frame } = this, { number, speed } = BQ.text, name = meta.names[i];
    const digits = Math.max(0, Math.min(3, 1 - Math.floor(Math.log10(meta.size))));
    const place = this.placeOf(i).map((v) => v.toFixed(digits)).join(", ") + " m";
    const rows = [["Volume", `${+a.volume[i].toPrecision(3)} m³`], ["Material", meta.materials[a.material[i]]], ["Place", place]];
    if (!a.fixed[i]) rows.splice(1, 0, ["Mass", a.mass[i] < 1000 ? `${+a.mass[i].toPrecision(3)} kg` : number(a.mass[i] / 1000, "t")]);
    if (!a.fixed[i]) rows.push(["Speed", speed(frame.speed[i])]);
    rows.push(["Force", number(frame.force[i], "N")]);
    return { title: `${a.fixed[i] ? "Fixed block" : "Block"} ${i}${name ? ` · ${name}` : ""}`, rows };
  }

  get summary() {
    const n = this.meta.bodies;
    return `${n.toLocaleString("en")} block${n === 1 ? "" : "s"}`;
  }
};
