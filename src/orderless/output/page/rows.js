// A side says which values of a feature are possible. For numbers it is {low, high, nan}: the first
// and the last bin, where bin k lies above cut k - 1 and at most at cut k (no bin if low > high),
// and whether NaN is, where NaN is a value. For categories it is a list of true and false.
// A box has one side for each feature.

const FEATURES = MODEL.features;
const NAMES = new Set(MODEL.names);
const WHOLE = FEATURES.map(whole);

// -- reading a row

function read(row) {
  if (row === null || typeof row !== "object" || Array.isArray(row)) {
    throw new TypeError(`a row must be an object of feature: value, got ${shown(row)}`);
  }
  const given = row instanceof Map ? row : new Map(Object.entries(row));
  for (const name of given.keys()) {
    if (!NAMES.has(name)) {
      const known = MODEL.names.map(shown).join(", ");
      throw new RangeError(`a row has the unknown feature ${shown(name)}; features are ${known}`);
    }
  }
  return FEATURES.map((feature, i) => readSide(i, given.get(feature.name)));
}

function readSide(i, value) {
  const feature = FEATURES[i];
  if (value === undefined) return WHOLE[i];
  if (feature.kind === "categorical") return readSet(i, value);
  if (value === "") return WHOLE[i];
  if (value !== null && typeof value === "object") return readRange(i, value);
  const number = readNumber(feature, value);
  if (Number.isNaN(number)) return feature.nan ? { low: 1, high: 0, nan: true } : WHOLE[i];
  const odd = feature.kind === "boolean" ? number !== 0 && number !== 1 : !Number.isInteger(number);
  if (feature.kind !== "numeric" && odd) throw refused(feature, value);
  const at = binOf(feature.cuts, number);
  return { low: at, high: at, nan: false };
}

function readNumber(feature, value) {
  if (value === null) return NaN;
  if (typeof value === "boolean" || typeof value === "number") return Number(value);
  if (typeof value === "bigint" && Number.isFinite(Number(value))) return Number(value);
  throw refused(feature, value);
}

function readRange(i, value) {
  const feature = FEATURES[i];
  if (Array.isArray(value) || Object.keys(value).some((key) => key !== "from" && key !== "to")) {
    throw refused(feature, value);
  }
  const [from, to] = [value.from, value.to].map((end) =>
    end === undefined || end === "" ? NaN : readNumber(feature, end),
  );
  const none = Number.isNaN(from) && Number.isNaN(to);
  let first = Number.isNaN(from) ? -Infinity : from;
  let last = Number.isNaN(to) ? Infinity : to;
  if (feature.kind !== "numeric") {
    first = Math.ceil(first);
    last = Math.floor(last);
  }
  if (feature.kind === "boolean") {
    first = Math.max(first, 0);
    last = Math.min(last, 1);
  }
  const beyond = feature.kind === "integer" && (first === Infinity || last === -Infinity);
  if (from > to || first > last || beyond) {
    throw new RangeError(`feature ${shown(feature.name)} has no value from ${from} to ${to}`);
  }
  const low = binOf(feature.cuts, first);
  return { low, high: binOf(feature.cuts, last), nan: feature.nan && none };
}

function readSet(i, value) {
  const feature = FEATURES[i];
  const several = Array.isArray(value) || value instanceof Set;
  const values = several ? [...value] : [value];
  if (!several && isUnknown(value) && !feature.nan) return WHOLE[i];
  if (!values.length) throw refused(feature, value);
  const side = WHOLE[i].map(() => false);
  for (const one of values) {
    const code = codeOf(feature, one);
    if (code === null) {
      if (!several && one === "") return WHOLE[i];
      throw refused(feature, one);
    }
    side[code] = true;
  }
  return side;
}

function codeOf(feature, value) {
  const size = feature.values.length;
  if (isUnknown(value)) return feature.nan ? size + Number(feature.other) : null;
  if (!["boolean", "number", "bigint", "string"].includes(typeof value)) return null;
  const code = feature.values.findIndex((label) => isSame(label, value));
  return code >= 0 ? code : feature.other ? size : null;
}

function isSame(a, b) {
  if (typeof a === "string" || typeof b === "string") return a === b;
  return (typeof a === "boolean" ? Number(a) : a) == (typeof b === "boolean" ? Number(b) : b);
}

function isUnknown(value) {
  return value === null || value === undefined || Number.isNaN(value);
}

function refused(feature, value) {
  const kinds = { numeric: "a number", integer: "a whole number", boolean: "0, 1, false or true" };
  const allowed = kinds[feature.kind] || `one of ${feature.values.map(shown).join(", ")}`;
  return new RangeError(
    `feature ${shown(feature.name)} must be ${allowed}, or null or NaN if it is unknown; ` +
      `got ${shown(value)}`,
  );
}

function shown(value) {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  return typeof value === "object" && value !== null
    ? Object.prototype.toString.call(value)
    : String(value).slice(0, 80);
}

// -- sides and boxes

function whole(feature) {
  if (feature.kind !== "categorical") return { low: 0, high: feature.cuts.length, nan: feature.nan };
  return Array(feature.values.length + Number(feature.other) + Number(feature.nan)).fill(true);
}

/** Count the cuts below a number. */
function binOf(cuts, number) {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cuts[middle] < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isWhole(i, side) {
  if (Array.isArray(side)) return side.every((on) => on);
  return side.low === 0 && side.high === WHOLE[i].high && side.nan === WHOLE[i].nan;
}

function meets(a, b) {
  if (Array.isArray(a)) return a.some((on, code) => on && b[code]);
  return Math.max(a.low, b.low) <= Math.min(a.high, b.high) || (a.nan && b.nan);
}

function replaced(box, i, side) {
  const out = box.slice();
  out[i] = side;
  return out;
}

/** Split a side at a node: what meets its test, what does not; null where that is nothing. */
function parts([, test, missing], side) {
  if (Array.isArray(side)) {
    const yes = side.map((on, code) => on && test.includes(code));
    if (!yes.includes(true)) return [null, side];
    const no = side.map((on, code) => on && !yes[code]);
    return no.includes(true) ? [yes, no] : [side, null];
  }
  const yes = { low: side.low, high: Math.min(side.high, test), nan: side.nan && missing };
  const no = { low: Math.max(side.low, test + 1), high: side.high, nan: side.nan && !missing };
  const [some, rest] = [yes, no].map((part) => part.low <= part.high || part.nan);
  return some && rest ? [yes, no] : some ? [side, null] : [null, side];
}

// -- words

/**
 * Write a side as pieces of text, each with its kind: name, sign, number or label.
 * Among many that are joined by AND, one that holds an "or" is in parentheses.
 */
function say(i, side, many = false) {
  const feature = FEATURES[i];
  const name = ["name", feature.shown];
  if (feature.kind === "categorical") return [name, ...sayLabels(feature, side)];
  if (feature.kind === "boolean") return side.high === 1 ? [name] : [["sign", "not "], name];
  const last = feature.cuts.length;
  if (side.low > side.high) return [name, ["sign", " is missing"]];
  if (side.low === 0 && side.high === last) return [name, ["sign", " is known"]];
  const out = [];
  if (side.high === last) {
    const [number, beyond] = feature.words[side.low - 1];
    out.push(name, ["sign", beyond ? " >= " : " > "], ["number", number]);
  } else {
    if (side.low > 0) {
      const [number, beyond] = feature.words[side.low - 1];
      out.push(["number", number], ["sign", beyond ? " <= " : " < "]);
    }
    const [number, beyond] = feature.words[side.high];
    out.push(name, ["sign", beyond ? " < " : " <= "], ["number", number]);
  }
  if (!side.nan) return out;
  out.push(["sign", " or missing"]);
  return many ? [["sign", "("], ...out, ["sign", ")"]] : out;
}

function sayLabels(feature, side) {
  const inside = feature.labels.filter((_, code) => side[code]);
  const outside = feature.labels.filter((_, code) => !side[code]);
  if (inside.length === 1) return [["sign", " = "], ["label", inside[0]]];
  if (outside.length === 1) return [["sign", " != "], ["label", outside[0]]];
  const fewer = outside.length < inside.length;
  const list = (fewer ? outside : inside).flatMap((label, k) => [
    ["sign", k ? ", " : "{"],
    ["label", label],
  ]);
  return [["sign", fewer ? " not in " : " in "], ...list, ["sign", "}"]];
}
