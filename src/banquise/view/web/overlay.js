/* What is drawn over the floes with Canvas 2D: domain, tracks, contacts, breaks, wind and current, scale bar. */
BQ.overlay = (() => {
  function floes(run, pen, view, look, settings) {
    domain(run, pen, view, look);
    if (settings.tracks) tracks(run, pen, view, look, settings.selected);
    if (settings.contacts) contacts(run, pen, view, look, settings);
    selected(run, pen, view, look, settings.selected);
    if (settings.arrows) flows(run, pen, view, look);
    scaleBar(pen, view, look);
  }

  function domain(run, pen, view, look) {
    const box = run.meta.domain;
    if (!box) return;
    const [x0, y0] = view.toScreen(box.xmin, box.ymax), [x1, y1] = view.toScreen(box.xmax, box.ymin);
    pen.save();
    pen.strokeStyle = look.faint;
    pen.lineWidth = 1;
    if (run.periodic) pen.setLineDash([6, 5]);
    pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
    if (box.open?.length) { // sides that let floes out are drawn as gaps
      pen.setLineDash([2, 8]);
      pen.strokeStyle = look.sea_css;
      pen.lineWidth = 2;
      const ends = { left: [x0, y0, x0, y1], right: [x1, y0, x1, y1], top: [x0, y0, x1, y0], bottom: [x0, y1, x1, y1] };
      for (const side of box.open) line(pen, ...ends[side]);
    }
    pen.restore();
  }

  function line(pen, x0, y0, x1, y1) {
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
  }

  /** Paths of the largest floes up to now, as many as stay quick to draw; the chosen floe's in full. */
  function tracks(run, pen, view, look, chosen) {
    const { meta, arrays: a, frame } = run, n = meta.floes, frames = a.track_frames;
    const upTo = BQ.after(frames, frame.record);
    const most = Math.max(50, Math.floor(40000 / Math.max(upTo, 1)));
    if (!run.bySize) run.bySize = [...Array(n).keys()].sort((i, j) => a.area[j] - a.area[i]);
    pen.save();
    pen.lineJoin = "round";
    pen.strokeStyle = look.track;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const i of run.bySize.slice(0, most)) path(i, upTo, true);
    pen.stroke();
    if (chosen >= 0 && chosen < n) {
      pen.strokeStyle = look.pick;
      pen.globalAlpha = 0.35;
      pen.lineWidth = 1.5;
      pen.beginPath();
      path(chosen, frames.length, false);
      pen.stroke();
      pen.globalAlpha = 1;
      pen.lineWidth = 2;
      pen.beginPath();
      path(chosen, upTo, true);
      pen.stroke();
    }
    pen.restore();

    function path(i, to, toNow) {
      let drawing = false, lx, ly;
      for (let k = 0; k < to; k++) {
        if (frames[k] < a.first[i] || frames[k] > a.last[i]) continue;
        let x = meta.origin[0] + meta.quantum[0] * a.track_x[k * n + i], y = meta.origin[1] + meta.quantum[1] * a.track_y[k * n + i];
        if (run.periodic) ({ x, y, drawing } = wrapped(run, x, y, lx, ly, drawing));
        lx = x; ly = y;
        const [px, py] = view.toScreen(x, y);
        if (drawing) pen.lineTo(px, py); else pen.moveTo(px, py);
        drawing = true;
      }
      if (!toNow || !run.there[i]) return;
      if (run.periodic && Math.abs(frame.x[i] - lx) > (run.periodic.xmax - run.periodic.xmin) / 2) return;
      if (run.periodic && Math.abs(frame.y[i] - ly) > (run.periodic.ymax - run.periodic.ymin) / 2) return;
      if (drawing) pen.lineTo(...view.toScreen(frame.x[i], frame.y[i]));
    }
  }

  /** A point brought back into a periodic domain. */
  function home(run, x, y) {
    const box = run.periodic;
    if (!box) return [x, y];
    const wx = box.xmax - box.xmin, wy = box.ymax - box.ymin;
    return [x - wx * Math.floor((x - box.xmin) / wx), y - wy * Math.floor((y - box.ymin) / wy)];
  }

  function wrapped(run, x, y, lx, ly, drawing) {
    const wx = run.periodic.xmax - run.periodic.xmin, wy = run.periodic.ymax - run.periodic.ymin;
    [x, y] = home(run, x, y);
    return { x, y, drawing: drawing && Math.abs(x - lx) < wx / 2 && Math.abs(y - ly) < wy / 2 };
  }

  /** Impacts glow where and when they fall, larger with their impulse, and fade; breaks are stars. */
  function contacts(run, pen, view, look, settings) {
    const { arrays: a, frame, meta } = run, t = frame.time;
    const lasts = Math.max(run.interval, 0.35 * settings.rate), [low, high] = run.scales.impulse;
    const from = BQ.after(a.contact_time, t - lasts), to = BQ.after(a.contact_time, t);
    const step = Math.max(1, Math.ceil((to - from) / 4000));
    pen.save();
    for (let e = from; e < to; e += step) {
      const [x, y] = view.toScreen(...home(run, meta.origin[0] + a.contact_x[e], meta.origin[1] + a.contact_y[e]));
      if (x < -40 || y < -40 || x > view.width + 40 || y > view.height + 40) continue;
      const age = (t - a.contact_time[e]) / lasts;
      const strength = Math.max(0, Math.min(1, Math.log(a.contact_impulse[e] / low) / Math.log(high / low)));
      const r = 2 + 12 * strength;
      pen.globalAlpha = (1 - age) * 0.9;
      pen.fillStyle = look.impact;
      disc(pen, x, y, 1.2 + 2.2 * strength);
      pen.fill();
      pen.globalAlpha = (1 - age) * (0.25 + 0.6 * strength);
      pen.strokeStyle = look.impact;
      pen.lineWidth = 1 + strength;
      disc(pen, x, y, r * (0.5 + 0.9 * age));
      pen.stroke();
    }
    const broke = BQ.after(a.break_time, t - 2 * lasts), now = BQ.after(a.break_time, t);
    pen.strokeStyle = look.breaks;
    pen.lineWidth = 2;
    for (let e = broke; e < now; e++) {
      const [x, y] = view.toScreen(...home(run, meta.origin[0] + a.break_x[e], meta.origin[1] + a.break_y[e]));
      const age = (t - a.break_time[e]) / (2 * lasts);
      pen.globalAlpha = 1 - age;
      for (let k = 0; k < 8; k++) {
        const c = Math.cos((k * Math.PI) / 4), s = Math.sin((k * Math.PI) / 4), r0 = 5 + 10 * age, r1 = r0 + (k % 2 ? 5 : 9);
        line(pen, x + r0 * c, y + r0 * s, x + r1 * c, y + r1 * s);
      }
    }
    pen.restore();
  }

  function disc(pen, x, y, r) {
    pen.beginPath();
    pen.arc(x, y, r, 0, 2 * Math.PI);
  }

  function selected(run, pen, view, look, i) {
    if (i < 0 || !run.there[i]) return;
    const { frame, shapes } = run, c = Math.cos(frame.angle[i]), s = Math.sin(frame.angle[i]);
    pen.save();
    pen.strokeStyle = look.pick;
    pen.lineWidth = 2.5;
    pen.lineJoin = "round";
    pen.beginPath();
    for (const [ring] of shapes.borders(i)) {
      for (let k = 0; k < ring.length; k += 2) {
        const [x, y] = view.toScreen(frame.x[i] + c * ring[k] - s * ring[k + 1], frame.y[i] + s * ring[k] + c * ring[k + 1]);
        if (k) pen.lineTo(x, y); else pen.moveTo(x, y);
      }
      pen.closePath();
    }
    pen.stroke();
    pen.restore();
  }

  /** Wind and current where the run recorded them: arrows that point where the air and the water go. */
  function flows(run, pen, view, look) {
    const { arrays: a, frame } = run;
    let top = 36;
    for (const [name, label, colour] of [["wind", "wind", look.wind], ["current", "current", look.current]]) {
      const flow = a[name];
      if (!flow) continue;
      const u = flow[2 * frame.record], v = flow[2 * frame.record + 1], speed = Math.hypot(u, v);
      const text = `${label} ${BQ.text.speed(speed)}`;
      pen.font = "12px system-ui, sans-serif";
      pen.textAlign = "left";
      pen.textBaseline = "middle";
      pen.fillStyle = look.plate;
      pen.beginPath();
      pen.roundRect(16, top - 21, 62 + pen.measureText(text).width, 42, 21);
      pen.fill();
      arrow(pen, 38, top, u, v, speed, colour);
      pen.fillStyle = look.text;
      pen.fillText(text, 64, top + 0.5);
      top += 52;
    }
  }

  function arrow(pen, x, y, u, v, speed, colour) {
    pen.save();
    pen.translate(x, y);
    if (speed > 0) {
      pen.rotate(-Math.atan2(v, u));
      pen.strokeStyle = pen.fillStyle = colour;
      pen.lineWidth = 3;
      line(pen, -14, 0, 7, 0);
      pen.beginPath();
      pen.moveTo(16, 0);
      pen.lineTo(5, -6.5);
      pen.lineTo(5, 6.5);
      pen.fill();
    }
    pen.restore();
  }

  function scaleBar(pen, view, look) {
    const most = Math.min(160, view.width * 0.3) / view.scale, power = 10 ** Math.floor(Math.log10(most));
    const metres = [5, 2, 1].map((k) => k * power).find((m) => m <= most), width = metres * view.scale;
    const x = 16, y = view.height - 18;
    pen.save();
    pen.strokeStyle = pen.fillStyle = look.text;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, y - 5);
    pen.lineTo(x, y);
    pen.lineTo(x + width, y);
    pen.lineTo(x + width, y - 5);
    pen.stroke();
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "bottom";
    pen.shadowColor = look.sea_css;
    pen.shadowBlur = 4;
    pen.fillText(BQ.text.length(metres), x + width / 2, y - 4);
    pen.restore();
  }

  return { floes, scaleBar };
})();
