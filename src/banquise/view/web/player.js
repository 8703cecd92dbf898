/* The player: clock, camera, controls. It knows nothing of floes; the kind of run does. */
BQ.Player = class Player {
  constructor(meta) {
    this.meta = meta;
    this.page = Object.fromEntries([...document.querySelectorAll("[id]")].map((e) => [e.id, e]));
    const hash = Object.fromEntries(new URLSearchParams(safeHash()));
    this.options = { ...meta.options, ...hash };
    this.settings = { selected: -1, follow: false, rate: 1 };
    this.timings = [];
    this.ready = this.#start();

    function safeHash() {
      try { return location.hash.slice(1); } catch { return ""; }
    }
  }

  async #start() {
    const { meta, page, options } = this;
    page.title.textContent = meta.title;
    const began = performance.now();
    const Kind = BQ.kinds[meta.kind];
    if (!Kind) throw new Error(`This page cannot show runs of kind ${meta.kind}.`);
    this.store = new BQ.Store(meta);
    this.store.onProblem = (problem) => BQ.fail(problem);
    this.run = new Kind(meta, this.store);
    await this.run.load();
    for (const [key, , on] of this.run.layers) this.settings[key] = on;
    this.first = this.run.time[0];
    this.last = this.run.time.at(-1);
    this.time = Math.max(this.first, Math.min(this.last, Number(options.t ?? this.first)));
    this.view = this.run.createView();
    this.renderer = this.run.createRenderer(() => this.#freshCanvas(), options.renderer);
    page.ice.addEventListener("webglcontextlost", () => { // the driver gave up: go on without it
      this.renderer = this.run.createRenderer(() => this.#freshCanvas(), "canvas");
      this.#resize();
    });
    this.curves = new BQ.Curves(page.curves, meta, this.run.arrays, (t) => this.seek(t));
    this.date = meta.start ? Date.parse(`${meta.start.replace(" ", "T").replace(/Z?$/, "Z")}`) || 0 : 0;
    this.#rates();
    this.#controls();
    this.#gestures();
    this.#keys();
    this.#theme(options.theme ?? "auto");
    this.#setColour(options.colour ?? meta.colour);
    new ResizeObserver(() => this.#resize()).observe(page.stage);
    this.#resize();
    this.view.fit();
    await this.seek(this.time);
    this.loadTime = performance.now() - began;
    page.player.dataset.state = "ready";
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (![false, "0", "false"].includes(options.autoplay) && !still) this.play(true);
    return this;
  }

  /** A canvas in place of the one on the page: one that gave out a kind of context gives no other. */
  #freshCanvas() {
    const fresh = this.page.ice.cloneNode();
    this.page.ice.replaceWith(fresh);
    return (this.page.ice = fresh);
  }

  // ------------------------------------------------------------ time

  #rates() {
    const span = Math.max(this.last - this.first, 1e-9), nice = [];
    for (let p = -6; p < 9; p++) for (const k of [1, 2, 5]) nice.push(k * 10 ** p);
    // the whole run in about 25 s, but no slower than eight records a second
    const wanted = Math.max(span / 25, this.run.time.length < 60 ? (8 * span) / Math.max(this.run.time.length - 1, 1) : 0);
    const at = nice.findIndex((r) => r >= Math.min(wanted, span / 5));
    this.rates = nice;
    this.setRate(Math.max(0, at));
  }

  setRate(at) {
    this.rateAt = Math.max(0, Math.min(this.rates.length - 1, at));
    const rate = (this.settings.rate = this.rates[this.rateAt]);
    this.page.rate.textContent = `${rate >= 1e4 ? rate.toExponential(0).replace("e+", "e") : +rate.toPrecision(1)}×`;
    this.page.rate.title = `${rate} s of the run in a second`;
  }

  play(on = !this.playing) {
    if (on && this.time >= this.last) this.time = this.first;
    this.playing = on;
    this.page.player.dataset.playing = on;
    this.page.play.setAttribute("aria-label", on ? "Pause" : "Play");
    this.then = performance.now();
    if (on) this.request();
  }

  /** Go to a time (s); resolves when it is drawn. */
  async seek(t) {
    this.time = Math.max(this.first, Math.min(this.last, t));
    const wanted = this.time;
    await this.run.ready(wanted);
    if (wanted === this.time) this.draw();
  }

  step(records) {
    this.play(false);
    const time = this.run.time, k = BQ.after(time, this.time + 1e-9 * this.run.interval) - 1;
    const back = records < 0 && this.time > time[k] + 1e-9 * this.run.interval ? 1 : 0;
    return this.seek(time[Math.max(0, Math.min(time.length - 1, k + records + back))]);
  }

  request() {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame((now) => {
      this.requested = false;
      if (this.playing) {
        const passed = Math.min(0.1, (now - this.then) / 1000);
        const before = this.time;
        this.time = Math.min(this.last, this.time + Math.max(0, passed) * this.settings.rate);
        if (!this.draw()) this.time = before; // a chunk is on its way: the clock waits for it
        if (this.time >= this.last) this.play(false);
        this.then = now;
        if (this.playing) this.request();
      } else this.draw();
    });
  }

  // ------------------------------------------------------------ drawing

  draw() {
    const { run, view, settings, page, look } = this;
    const began = performance.now();
    if (!run.frameAt(this.time)) return false;
    if (settings.follow && settings.selected >= 0) {
      if (run.isThere(settings.selected)) view.centre(...run.placeOf(settings.selected));
      else this.#lost();
    }
    run.colour(settings.colour, look);
    run.dress(view, look, settings);
    this.renderer.draw(run.frame, view, look);
    const pixel = page.over.width / view.width, pen = page.over.getContext("2d");
    pen.setTransform(pixel, 0, 0, pixel, 0, 0);
    pen.clearRect(0, 0, view.width, view.height);
    if (!settings.flat) run.drawOver(pen, view, look, settings);
    this.#panel();
    this.timings.push(performance.now() - began);
    if (this.timings.length > 500) this.timings.shift();
    return true;
  }

  #panel() {
    const { page, run } = this, clock = BQ.text.clock(this.time - this.first, this.last - this.first);
    if (page.clock.textContent !== clock) {
      page.clock.textContent = clock;
      page.clock.title = this.date ? new Date(this.date + 1000 * this.time).toISOString().slice(0, 19).replace("T", " ") : "";
    }
    page.scrub.value = (this.time - this.first) / (this.last - this.first || 1);
    page.scrub.setAttribute("aria-valuetext", clock);
    const { summary } = run;
    if (page.summary.textContent !== summary) page.summary.textContent = summary;
    if (this.settings.selected >= 0) this.#card();
    if (this.settings.curves) this.curves.draw(this.time, this.look);
  }

  #card() {
    const { title, rows } = this.run.describe(this.settings.selected), { page } = this;
    const key = title + JSON.stringify(rows);
    if (key === this.cardKey) return;
    this.cardKey = key;
    page["card-title"].textContent = title;
    page["card-rows"].replaceChildren(...rows.flatMap(([name, text]) => {
      const dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = name;
      dd.textContent = text;
      return [dt, dd];
    }));
  }

  #resize() {
    const { page, view } = this, pixel = Math.min(window.devicePixelRatio || 1, 2.5);
    const { clientWidth: w, clientHeight: h } = page.stage;
    if (!w || !h) return;
    const { fitted } = view;
    Object.assign(view, { width: w, height: h });
    for (const canvas of [page.ice, page.over]) {
      canvas.width = Math.round(w * pixel);
      canvas.height = Math.round(h * pixel);
      canvas.style.width = `${w}px`; // whole pixels: a stage of 559.2 px would blur the picture
      canvas.style.height = `${h}px`;
    }
    if (fitted) view.fit();
    this.curves.resize(this.look);
    if (this.run.frame.record !== undefined) this.draw();
  }

  // ------------------------------------------------------------ settings

  #theme(name) {
    const system = matchMedia("(prefers-color-scheme: dark)");
    this.page.theme.value = name;
    const apply = () => {
      const dark = this.page.theme.value === "auto" ? system.matches : this.page.theme.value === "dark";
      document.documentElement.dataset.theme = dark ? "dark" : "light";
      this.#look();
    };
    system.onchange = apply;
    this.page.theme.onchange = () => { apply(); this.request(); };
    apply();
  }

  #look() {
    const style = getComputedStyle(document.documentElement), css = (name) => style.getPropertyValue("--" + name).trim();
    const rgb = (name) => BQ.colours.parse(css(name));
    this.look = {
      sea: rgb("sea"), sea_css: css("sea"), sky: css("sky"), ground: css("ground"), rock: rgb("rock"), alone: rgb("alone"), edge: css("edge").split(",").map(Number),
      pick: css("pick"), cursor: css("text"), faint: css("faint"), track: css("track"), text: css("over-text"), plate: css("plate"),
      impact: css("impact"), breaks: css("breaks"), wind: css("wind"), current: css("current"), curve: css("curve"),
      shadowAlpha: Number(css("shadow")),
    };
    this.curves.resize(this.look);
  }

  #setColour(mode) {
    const { page, run } = this;
    if (!run.colourModes.includes(mode)) mode = run.colourModes[0];
    this.settings.colour = page.colour.value = mode;
    const { name, css, low = "", high = "" } = run.legend(mode);
    page["legend-name"].textContent = name;
    page["legend-bar"].style.background = css ?? "none";
    page["legend-bar"].hidden = !css;
    page["legend-low"].textContent = low;
    page["legend-high"].textContent = high;
  }

  setColour(mode) {
    this.#setColour(mode);
    this.request();
  }

  set(layer, on) {
    this.settings[layer] = on;
    const box = document.getElementById("layer-" + layer);
    if (box) box.checked = on;
    this.page.curves.hidden = !this.settings.curves;
    this.request();
  }

  select(body) {
    this.settings.selected = body;
    if (body < 0) this.follow(false);
    this.page.card.hidden = body < 0;
    if (body >= 0) this.settingsOpen(false);
    this.cardKey = null;
    if (body >= 0) this.#card();
    this.request();
  }

  follow(on) {
    this.settings.follow = on && this.settings.selected >= 0;
    this.page.follow.setAttribute("aria-pressed", this.settings.follow);
    this.page.follow.textContent = this.settings.follow ? "Following" : "Follow";
    this.request();
  }

  /** The floe that was followed has ended: go on with its largest piece, if it broke. */
  #lost() {
    const piece = this.run.successor(this.settings.selected);
    if (piece >= 0) this.select(piece);
    else this.follow(false);
  }

  settingsOpen(on = this.page.settings.hidden) {
    this.page.settings.hidden = !on;
    this.page["open-settings"].setAttribute("aria-expanded", on);
  }

  // ------------------------------------------------------------ what people do

  #controls() {
    const { page, run } = this, click = (id, act) => page[id].addEventListener("click", act);
    for (const mode of run.colourModes) page.colour.append(new Option(mode[0].toUpperCase() + mode.slice(1), mode));
    for (const [key, label] of run.layers) {
      const box = document.createElement("input"), tag = document.createElement("label");
      Object.assign(box, { type: "checkbox", id: "layer-" + key, checked: this.settings[key] });
      box.addEventListener("change", () => this.set(key, box.checked));
      tag.append(box, label);
      page.layers.append(tag);
    }
    click("play", () => this.play());
    click("slower", () => this.setRate(this.rateAt - 1));
    click("faster", () => this.setRate(this.rateAt + 1));
    click("open-settings", () => this.settingsOpen());
    click("card-close", () => this.select(-1));
    click("follow", () => this.follow(!this.settings.follow));
    click("fit", () => this.fit());
    click("zoom-in", () => { this.view.zoom(1.5); this.request(); });
    click("zoom-out", () => { this.view.zoom(1 / 1.5); this.request(); });
    page.colour.addEventListener("change", () => this.setColour(page.colour.value));
    page.scrub.addEventListener("input", () => this.seek(this.first + page.scrub.value * (this.last - this.first)));
    const shortcuts = run.layers.filter(([, , , key]) => key).map(([, label, , key]) => `${key.toUpperCase()} ${label.toLowerCase()}`);
    page.keys.textContent = ["space play", "← → step", "↑ ↓ speed", "+ − zoom", "C colour", "F follow", ...shortcuts, "Esc close"].join(" · ");
    page.notes.textContent = run.note;
    page.stage.setAttribute("aria-label", run.help);
  }

  fit() {
    this.follow(false);
    this.view.fit();
    this.request();
  }

  #gestures() {
    const { page, view } = this, touches = new Map();
    let moved = 0, apart = 0;
    const at = (event) => {
      const box = page.stage.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const spread = () => {
      const [[ax, ay], [bx, by]] = touches.values();
      return [Math.hypot(ax - bx, ay - by), (ax + bx) / 2, (ay + by) / 2];
    };
    page.stage.addEventListener("pointerdown", (event) => {
      if (event.target.closest("button, select, aside, input")) return;
      page.stage.setPointerCapture(event.pointerId);
      touches.set(event.pointerId, at(event));
      if (touches.size === 1) moved = 0;
      if (touches.size === 2) { [apart] = spread(); moved = 1e9; }
      page.stage.classList.add("dragging");
    });
    page.stage.addEventListener("pointermove", (event) => {
      if (!touches.has(event.pointerId)) return;
      const [x, y] = at(event), [px, py] = touches.get(event.pointerId);
      touches.set(event.pointerId, [x, y]);
      moved += Math.hypot(x - px, y - py);
      if (touches.size === 2) {
        const [now, cx, cy] = spread();
        if (apart > 0) view.zoom(now / apart, cx, cy);
        apart = now;
      }
      if (moved > 4) {
        if (this.settings.follow) this.follow(false);
        view.drag((x - px) / touches.size, (y - py) / touches.size, { fingers: touches.size, event });
      }
      this.request();
    });
    const end = (event) => {
      if (!touches.delete(event.pointerId)) return;
      page.stage.classList.toggle("dragging", touches.size > 0);
      if (event.type === "pointerup" && moved <= 4) this.select(this.run.pickAt(view, ...at(event)));
    };
    page.stage.addEventListener("pointerup", end);
    page.stage.addEventListener("pointercancel", end);
    page.stage.addEventListener("wheel", (event) => {
      if (event.target.closest("aside")) return;
      event.preventDefault();
      const middle = this.settings.follow ? [view.width / 2, view.height / 2] : at(event);
      view.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...middle);
      this.request();
    }, { passive: false });
    page.stage.addEventListener("dblclick", (event) => {
      if (!event.target.closest("button, select, aside, input")) { view.zoom(2, ...at(event)); this.request(); }
    });
  }

  #keys() {
    const turn = (key) => this.set(key, !this.settings[key]);
    const nextColour = () => {
      const modes = this.run.colourModes;
      this.setColour(modes[(modes.indexOf(this.settings.colour) + 1) % modes.length]);
    };
    const acts = {
      " ": () => this.play(), k: () => this.play(),
      ArrowRight: (e) => this.step(e.shiftKey ? 10 : 1), ArrowLeft: (e) => this.step(e.shiftKey ? -10 : -1),
      ArrowUp: () => this.setRate(this.rateAt + 1), ArrowDown: () => this.setRate(this.rateAt - 1),
      Home: () => this.seek(this.first), End: () => this.seek(this.last),
      "+": () => { this.view.zoom(1.3); this.request(); }, "=": () => { this.view.zoom(1.3); this.request(); },
      "-": () => { this.view.zoom(1 / 1.3); this.request(); }, 0: () => this.fit(),
      c: nextColour, f: () => this.follow(!this.settings.follow), s: () => this.settingsOpen(),
      d: () => {
        this.page.theme.value = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
        this.page.theme.onchange();
      },
      Escape: () => { this.settingsOpen(false); this.select(-1); },
    };
    for (const [key, , , shortcut] of this.run.layers) if (shortcut) acts[shortcut] = () => turn(key);
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest("select")) return;
      if (event.target.closest("button, input[type=checkbox]") && [" ", "Enter"].includes(event.key)) return;
      const act = acts[event.key] ?? acts[event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      act(event);
    });
  }
};

(() => {
  const message = document.getElementById("message");
  const fail = BQ.fail = (problem) => {
    message.textContent = `This run cannot be shown: ${problem.message ?? problem}`;
    document.getElementById("player").dataset.state = "failed";
  };
  if (typeof DecompressionStream === "undefined") {
    fail("this browser cannot unpack it. Use a version from 2023 or later.");
    return;
  }
  window.banquise = new BQ.Player(JSON.parse(document.getElementById("meta").textContent));
  window.banquise.ready.catch(fail);
})();
