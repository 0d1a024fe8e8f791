// A side says which values of a feature are possible. For numbers it is {low, high, nan}: the first
// and the last bin, where bin k lies above cut k - 1 and at most at cut k (no bin if low > high),
// and whether NaN is, where NaN is a value. For categories it is a list of true and false.
// A box has one side for each feature.

const FEATURES = MODEL.features;
const NODES = MODEL.nodes;
const NAMES = new Set(MODEL.names);
const WHOLE = FEATURES.map(whole);
const STEPS = 5000; // of the search for the reason with the fewest features

/** Give the class of a row; null where unknown values leave several. */
function decide(row) {
  const found = possible(read(row), 2);
  return found.length === 1 ? MODEL.classes[found[0]] : null;
}

/** Give every class that a row can get, whatever its unknown values are. */
function possibleClasses(row) {
  return possible(read(row)).map((label) => MODEL.classes[label]);
}

/** Give a reason in words: conditions that the row meets and that settle its class; or null. */
function why(row) {
  const box = read(row);
  const found = possible(box, 2);
  if (found.length > 1) return null;
  const sides = reason(box, found[0])
    .map((side, i) => [i, side])
    .filter(([i, side]) => !isWhole(i, side));
  const said = sides.map(([i, side]) => {
    const pieces = say(i, side, sides.length > 1);
    return pieces.map(([, text]) => text).join("");
  });
  return said.join(" AND ") || "always";
}

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

/** Go through the leaves that a box reaches, with the part that each has, until told to stop. */
function walk(box, visit) {
  const todo = [[0, box]];
  while (todo.length) {
    const [at, here] = todo.pop();
    const node = NODES[at];
    if (node.length === 1) {
      if (visit(node[0], here, at)) return;
      continue;
    }
    const i = node[0];
    const [yes, no] = parts(node, here[i]);
    if (no) todo.push([node[4], no === here[i] ? here : replaced(here, i, no)]);
    if (yes) todo.push([node[3], yes === here[i] ? here : replaced(here, i, yes)]);
  }
}

/** Give the numbers of the classes that a box reaches; `most` of them are enough. */
function possible(box, most = Infinity) {
  const found = new Set();
  walk(box, (label) => found.add(label).size >= most);
  return [...found].sort((a, b) => a - b);
}

// -- reasons

/** Give a box around a determined one that has its class, cannot grow, and asks few features. */
function reason(box, answer) {
  const others = [];
  walk(WHOLE, (label, leaf) => {
    if (label !== answer) others.push(leaf);
  });
  const misses = new Map();
  for (const leaf of others) {
    const missed = leaf.flatMap((side, i) => (meets(side, box[i]) ? [] : [i]));
    misses.set(missed.join(), missed);
  }
  const kept = fewest([...misses.values()]);
  const sides = WHOLE.map((side, i) => (kept.includes(i) ? box[i] : side));
  for (const i of kept.sort((a, b) => a - b)) {
    const near = others.filter((leaf) => leaf.every((side, j) => j === i || meets(side, sides[j])));
    const taken = near.map((leaf) => leaf[i]);
    sides[i] = Array.isArray(sides[i])
      ? sides[i].map((_, code) => !taken.some((side) => side[code]))
      : widened(sides[i], taken, WHOLE[i]);
  }
  return sides;
}

/** Widen an interval of bins until it touches those that are taken. */
function widened(side, taken, all) {
  const free = (at) => !taken.some((other) => other.low <= at && at <= other.high);
  const nan = all.nan && !taken.some((other) => other.nan);
  let { low, high } = side;
  if (low > high) {
    low = 0; // only NaN so far: take the first bin that is free
    while (low <= all.high && !free(low)) low += 1;
    if (low > all.high) return { low: 1, high: 0, nan };
    high = low;
  }
  while (low > 0 && free(low - 1)) low -= 1;
  while (high < all.high && free(high + 1)) high += 1;
  return { low, high, nan };
}

/** Choose the fewest features that are in every list; after STEPS, the fewest found. */
function fewest(lists) {
  let best = [];
  for (let rest = lists; rest.length; ) {
    const count = new Map();
    for (const i of rest.flat()) count.set(i, (count.get(i) || 0) + 1);
    const pick = [...count.keys()].reduce((a, b) => (count.get(b) > count.get(a) ? b : a));
    best.push(pick);
    rest = rest.filter((list) => !list.includes(pick));
  }
  let steps = 0;
  const search = (chosen, rest) => {
    if (!rest.length) {
      if (chosen.length < best.length) best = chosen;
      return;
    }
    steps += 1;
    if (chosen.length + 1 >= best.length || steps > STEPS) return;
    const shortest = rest.reduce((a, b) => (b.length < a.length ? b : a));
    for (const i of shortest) {
      search([...chosen, i], rest.filter((list) => !list.includes(i)));
    }
  };
  search([], lists);
  return best;
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
