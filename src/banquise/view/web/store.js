"use strict";
/* The name space, and the data of the page: arrays unpacked once, chunks of poses when they are needed. */
const BQ = { kinds: {} };

BQ.Store = class Store {
  constructor(meta) {
    this.meta = meta;
    this.chunks = new Map(); // number -> columns, the last few used
    this.pending = new Map();
    this.keep = Math.max(4, Math.ceil(4e6 / (meta.frames_per_chunk * meta.bodies + 1)));
  }

  static bytesOf(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return bytes;
  }

  static async inflate(text) {
    const stream = new Blob([Store.bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  /** All arrays of the page by name. */
  async arrays() {
    const kinds = {
      int8: Int8Array, uint8: Uint8Array, int16: Int16Array, int32: Int32Array,
      float32: Float32Array, float64: Float64Array,
    };
    const found = {};
    await Promise.all(Object.entries(this.meta.arrays).map(async ([name, { type, shape }]) => {
      const planes = await Store.inflate(document.getElementById("array-" + name).textContent);
      const width = kinds[type].BYTES_PER_ELEMENT, n = planes.length / width;
      const bytes = new Uint8Array(planes.length);
      for (let w = 0; w < width; w++) for (let i = 0; i < n; i++) bytes[i * width + w] = planes[w * n + i];
      found[name] = new kinds[type](bytes.buffer);
      found[name].rows = shape[0];
    }));
    return found;
  }

  /** Columns of a chunk if it is at hand; asks for it otherwise. */
  peek(k) {
    const found = this.chunks.get(k);
    if (found) {
      this.chunks.delete(k); // put back at the end: the order of the map is the order of use
      this.chunks.set(k, found);
      return found;
    }
    if (k >= 0 && k < this.meta.chunks) this.load(k).catch((problem) => this.onProblem?.(problem));
    return null;
  }

  load(k) {
    if (this.chunks.has(k)) return Promise.resolve(this.chunks.get(k));
    if (!this.pending.has(k)) this.pending.set(k, this.#decode(k));
    return this.pending.get(k);
  }

  async #decode(k) {
    const bytes = await Store.inflate(await this.#text(k));
    const { meta } = this, n = meta.bodies;
    const frames = Math.min(meta.frames_per_chunk, meta.frames - k * meta.frames_per_chunk);
    const { orders } = meta, columns = []; // order of the differences in time of each column
    let at = orders.length;
    orders.forEach((order, c) => {
      columns.push(BQ.Store.column(bytes, at, bytes[c], frames, n, order));
      at += bytes[c] * frames * n;
    });
    this.chunks.set(k, columns);
    this.pending.delete(k);
    while (this.chunks.size > this.keep) this.chunks.delete(this.chunks.keys().next().value);
    return columns;
  }

  /** Undo byte planes, folding and differences in time. */
  static column(bytes, at, planes, frames, n, order) {
    const out = new Int32Array(frames * n), size = frames * n;
    for (let i = 0; i < size; i++) {
      let z = bytes[at + i];
      for (let p = 1; p < planes; p++) z |= bytes[at + p * size + i] << (8 * p);
      out[i] = (z >>> 1) ^ -(z & 1);
    }
    for (let i = 0; i < order; i++) for (let j = n; j < size; j++) out[j] += out[j - n];
    return out;
  }

  #text(k) {
    if (!this.meta.chunk_folder) return Promise.resolve(document.getElementById("chunk-" + k).textContent);
    return new Promise((resolve, reject) => {
      Store.waiting.set(k, resolve);
      const tag = document.createElement("script");
      tag.src = `${this.meta.chunk_folder}/${k}.js`;
      tag.onerror = () => reject(new Error(`chunk ${k} is missing`));
      document.head.append(tag);
      tag.onload = () => tag.remove();
    });
  }

  static waiting = new Map();
  static arrived(k, text) {
    Store.waiting.get(k)?.(text);
    Store.waiting.delete(k);
  }
};

/** First place in sorted `values` whose value is greater than `x`. */
BQ.after = (values, x) => {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > x) high = middle; else low = middle + 1;
  }
  return low;
};
