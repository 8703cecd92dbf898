/* The camera over a flat scene: what part of the world is on the screen. */
BQ.View = class View {
  constructor(run) {
    Object.assign(this, { run, x: 0, y: 0, scale: 1, width: 1, height: 1 });
  }

  fit() {
    const [x0, x1, y0, y1] = this.run.extent;
    this.x = (x0 + x1) / 2;
    this.y = (y0 + y1) / 2;
    this.whole = Math.min(this.width / (x1 - x0 || 1), this.height / (y1 - y0 || 1)) * 0.94;
    this.scale = this.whole;
  }

  /** Whether the whole scene is shown, so that it stays so when the window changes. */
  get fitted() {
    return this.scale === this.whole;
  }

  centre(x, y) {
    this.x = x;
    this.y = y;
  }

  /** Move with the pointer (CSS pixels). A view in space may turn with one of `fingers` and shift with two. */
  drag(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  toScreen(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  toWorld(px, py) {
    return [this.x + (px - this.width / 2) / this.scale, this.y - (py - this.height / 2) / this.scale];
  }

  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.toWorld(px, py);
    this.scale = Math.max(this.whole / 20, Math.min(this.scale * factor, this.whole * 1e5));
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y + (py - this.height / 2) / this.scale;
  }

  /** Pixels of a periodic domain, to which drawing is cut. */
  clip(pixel) {
    const box = this.run.periodic;
    if (!box) return null;
    const [x0, y0] = this.toScreen(box.xmin, box.ymax), [x1, y1] = this.toScreen(box.xmax, box.ymin);
    const x = Math.round(x0 * pixel), y = Math.round(y0 * pixel);
    return { x, y, width: Math.round(x1 * pixel) - x, height: Math.round(y1 * pixel) - y };
  }

  /** Shifts at which everything is drawn: nine in a periodic domain, whose border floes show on both sides. */
  copies() {
    const box = this.run.periodic;
    if (!box) return [[0, 0]];
    const w = box.xmax - box.xmin, h = box.ymax - box.ymin, found = [];
    for (const i of [-1, 0, 1]) for (const j of [-1, 0, 1]) found.push([i * w, j * h]);
    return found;
  }
};
