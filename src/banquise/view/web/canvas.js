/* Floes drawn by Canvas 2D, where there is no WebGL2 or only one in software: one path a floe. */
BQ.CanvasRenderer = class CanvasRenderer {
  constructor(canvas, shapes) {
    // keeps the canvas with the processor: through a graphics card in software it is five times slower
    this.context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
    this.name = "canvas";
    this.canvas = canvas;
    this.shapes = shapes;
    this.paths = new Array(shapes.bodies);
    this.cracks = new Array(shapes.bodies);
  }

  #path(body) {
    if (this.paths[body]) return this.paths[body];
    const path = new Path2D(), { shapes } = this;
    if (shapes.disc[body]) path.arc(0, 0, shapes.reach[body], 0, 2 * Math.PI);
    else {
      shapes.eachRing(body, (points) => {
        path.moveTo(points[0], points[1]);
        for (let i = 2; i < points.length; i += 2) path.lineTo(points[i], points[i + 1]);
        path.closePath();
      });
    }
    const cracks = new Path2D();
    shapes.eachCrack(body, (x0, y0, x1, y1) => { cracks.moveTo(x0, y0); cracks.lineTo(x1, y1); });
    this.cracks[body] = cracks;
    return (this.paths[body] = path);
  }

  draw(frame, view, look) {
    const { context: g, canvas, shapes } = this, pixel = canvas.width / view.width;
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.fillStyle = `rgb(${look.sea.join(",")})`;
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.save();
    const clip = view.clip(pixel);
    if (clip) { g.beginPath(); g.rect(clip.x, clip.y, clip.width, clip.height); g.clip(); }
    const s = view.scale * pixel, cx = canvas.width / 2, cy = canvas.height / 2;
    g.lineWidth = (look.lineWidth * pixel) / s;
    for (const [sx, sy] of view.copies()) {
      for (let i = 0; i < frame.n; i++) {
        const alpha = frame.colour[4 * i + 3];
        if (!alpha) continue;
        const px = cx + (frame.x[i] + sx - view.x) * s, py = cy - (frame.y[i] + sy - view.y) * s;
        const reach = shapes.reach[i] * s;
        if (px + reach < 0 || py + reach < 0 || px - reach > canvas.width || py - reach > canvas.height) continue;
        const [r, gr, b] = frame.colour.subarray(4 * i, 4 * i + 3);
        g.fillStyle = `rgb(${r},${gr},${b})`;
        if (reach < 1.2) { g.setTransform(1, 0, 0, 1, 0, 0); g.fillRect(px - reach, py - reach, 2 * reach, 2 * reach); continue; }
        const c = s * Math.cos(frame.angle[i]), d = s * Math.sin(frame.angle[i]), path = this.#path(i);
        g.setTransform(c, -d, -d, -c, px, py); // y up in the world, down on the screen
        g.fill(path, "evenodd");
        const seen = Math.min(1, (reach / pixel - 2.5) / 6); // lines would bury the smallest floes
        if (!look.line || seen <= 0) continue;
        const [lr, lg, lb, most] = alpha < 64 ? [0, 0, 0, 0.5] : look.line, mix = most * seen;
        const shade = [r + (lr - r) * mix, gr + (lg - gr) * mix, b + (lb - b) * mix].map(Math.round);
        g.strokeStyle = `rgb(${shade.join(",")})`;
        g.stroke(path);
        if (!look.cracks || !shapes.cracked[i]) continue;
        g.lineWidth *= 2.1;
        g.strokeStyle = `rgba(214,41,26,${Math.min(1, (255 - alpha) / 127)})`;
        g.stroke(this.cracks[i]);
        g.lineWidth /= 2.1;
      }
    }
    g.restore();
    g.setTransform(1, 0, 0, 1, 0, 0);
  }
};
