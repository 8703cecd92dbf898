/* Scales of colour (lightness rises or falls all the way, so that they read without seeing hue) and how numbers are
   written. */
BQ.colours = (() => {
  const stops = {
    speed: ["#56689c", "#4686a6", "#3ba39e", "#5fbe83", "#9fd667", "#dde75c", "#fff7a0"],
    ice: ["#4d7d99", "#7ba6bd", "#a7c8d8", "#cfe2eb", "#f4fafc"],
    heat: ["#e9eef1", "#fde0b0", "#fdbb84", "#fc8d59", "#e34a33", "#b30000", "#7f0000"],
    diverging: ["#2166ac", "#67a9cf", "#d1e5f0", "#f7f7f7", "#fddbc7", "#ef8a62", "#b2182b"], // about zero
    age: ["#fee838", "#e1cc55", "#c3b369", "#a59c74", "#8a8678", "#707173", "#575d6d", "#3b496c"],
  };
  // Okabe and Ito's set without black, and tints of it: told apart with any colour vision
  const groups = ["#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
    "#f6c667", "#a8d8f4", "#5cc9a7", "#8ab6d9", "#f0a573", "#e6bcd3"].map(parse);

  function parse(hex) {
    const n = parseInt(hex.slice(1), 16);
    return [n >> 16, (n >> 8) & 255, n & 255];
  }

  const tables = {};
  for (const [name, list] of Object.entries(stops)) {
    const table = (tables[name] = new Uint8Array(256 * 3)), points = list.map(parse);
    for (let i = 0; i < 256; i++) {
      const at = (i / 255) * (points.length - 1), k = Math.min(Math.floor(at), points.length - 2);
      for (let c = 0; c < 3; c++) table[3 * i + c] = points[k][c] + (at - k) * (points[k + 1][c] - points[k][c]);
    }
  }
  const css = (name) => `linear-gradient(90deg, ${stops[name].join(",")})`;
  return { tables, groups, css, parse };
})();

BQ.text = {
  /** Three digits and a prefix: 1234567 J -> 1.23 MJ. */
  number(value, unit = "") {
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return unit ? `0 ${unit}` : "0";
    const prefixes = { 9: "G", 6: "M", 3: "k", 0: "", "-3": "m", "-6": "µ" };
    let power = Math.floor(Math.log10(Math.abs(value)) / 3) * 3;
    power = Math.max(-6, Math.min(9, power));
    if (!unit && power < 3 || Math.abs(value) < 5e-9) power = 0; // round-off: 1.8e-25 J, not 1.8e-19 µJ
    const scaled = value / 10 ** power;
    const digits = Math.abs(scaled) >= 100 ? 0 : Math.abs(scaled) >= 10 ? 1 : 2;
    const number = Math.abs(scaled) >= 1e4 || Math.abs(scaled) < 0.005 ? scaled.toExponential(1) : scaled.toFixed(digits);
    return `${number}${unit || power ? " " : ""}${prefixes[power]}${unit}`;
  },
  speed: (v) => `${v === 0 ? 0 : v < 1e-4 ? v.toExponential(1) : +v.toPrecision(3)} m/s`,
  length: (m) => (m >= 1000 ? `${+(m / 1000).toPrecision(3)} km` : m >= 1 ? `${+m.toPrecision(3)} m`
    : `${+(m * 100).toPrecision(3)} cm`),
  area: (m2) => (m2 >= 1e6 ? `${+(m2 / 1e6).toPrecision(3)} km²` : `${+m2.toPrecision(3)} m²`),
  /** Model time, as much of it as the run's length calls for. */
  clock(seconds, whole) {
    if (whole < 120) return `${seconds.toFixed(whole < 10 ? 3 : 2)} s`;
    const s = Math.floor(seconds + 1e-6), two = (n) => String(n).padStart(2, "0");
    const hms = `${two(Math.floor((s % 86400) / 3600))}:${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}`;
    return whole >= 86400 ? `${Math.floor(s / 86400)} d ${hms}` : hms;
  },
};
