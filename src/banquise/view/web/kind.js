/* What the player asks of a kind of run, and the answers most kinds share. A kind extends this class, sets
   `BQ.kinds.NAME` and must bring `createRenderer`, `frameAt`, `colour`, `legend` and `summary`; the rest has defaults. */
BQ.Kind = class Kind {
  constructor(meta, store) {
    this.meta = meta;
    this.store = store;
    this.frame = {}; // what is drawn at the moment; `frameAt` sets its `record` and `time`
  }

  /** [key, label, on at first, shortcut] of what can be switched on and off; `settings[key]` tells. */
  get layers() {
    return [["curves", "Curves", true, "l"]];
  }

  /** What the stage answers to, for those who cannot see it. */
  get help() {
    return "Drag to pan, wheel or pinch to zoom, click for numbers";
  }

  async load() {
    this.arrays = await this.store.arrays();
    this.time = this.arrays.time;
    this.interval = this.time.length > 1 ? (this.time.at(-1) - this.time[0]) / (this.time.length - 1) : 1;
    if (this.meta.chunks) await this.store.load(0);
  }

  /** The records on either side of a time: their numbers, and how far between them it lies (0 to 1). */
  around(t) {
    const { time } = this, k = Math.max(0, Math.min(BQ.after(time, t) - 1, time.length - 1));
    const next = Math.min(k + 1, time.length - 1);
    const share = next > k ? Math.max(0, Math.min(1, (t - time[k]) / (time[next] - time[k]))) : 0;
    return { k, next, share };
  }

  /** Resolves when the records around a time are unpacked. */
  async ready(t) {
    if (!this.meta.chunks) return;
    const per = this.meta.frames_per_chunk, { k, next } = this.around(t);
    await Promise.all([...new Set([Math.floor(k / per), Math.floor(next / per)])].map((c) => this.store.load(c)));
  }

  /** As `around`, with the unpacked columns `one`, `two` and where the records begin in them (`p`, `q`); null while a
      chunk is on its way. */
  between(t) {
    const { meta, store } = this, per = meta.frames_per_chunk, found = this.around(t), { k, next } = found;
    const one = store.peek(Math.floor(k / per)), two = store.peek(Math.floor(next / per));
    if (next + per / 2 < meta.frames) store.peek(Math.floor((next + per / 2) / per)); // read ahead
    if (!one || !two) return null;
    return { ...found, one, two, p: (k % per) * meta.bodies, q: (next % per) * meta.bodies };
  }

  get colourModes() {
    return this.meta.colours;
  }

  /** xmin, xmax, ymin, ymax of the whole scene, for a flat view. */
  get extent() {
    return this.meta.extent;
  }

  createView() {
    return new BQ.View(this);
  }

  /** Lines, shadows and whatever else depends on the zoom, put into `look` before the renderer draws. */
  dress(view, look, settings) {}

  /** What is drawn over the picture, with Canvas 2D, in CSS pixels. */
  drawOver(pen, view, look, settings) {}

  /** Body at a point of the stage (CSS pixels); -1 for none. */
  pickAt(view, px, py) {
    return this.pick(...view.toWorld(px, py));
  }

  pick() {
    return -1;
  }

  /** { title, rows: [[name, text], ...] } about a body. */
  describe(body) {
    return { title: String(body), rows: [] };
  }

  isThere() {
    return true;
  }

  /** Where the view goes that follows a body: the arguments of `view.centre`. */
  placeOf() {
    return [0, 0];
  }

  /** The body to follow when one has ended; -1 for none. */
  successor() {
    return -1;
  }

  /** What the page should say about itself, such as what was left out. */
  get note() {
    return "";
  }
};
