// A sum of trees: what a completion gets, added up as the library adds. A cell has one bin for each
// feature: bins of numbers count from 0, NaN comes after the last; a category is its number.

const SCORES = MODEL.base.length;
const WHAT = whole32(MODEL.what); // a node's condition, or -1 - the row of a leaf's values
const OTHERWISE = whole32(MODEL.otherwise); // where its condition does not hold; else the next node
const VALUES = new Float64Array(bytes(MODEL.values).buffer); // rows of WIDE values
const WIDE = MODEL.wide; // SCORES, or 1 where each tree adds to one score only
const UNITS = VALUES.map(inUnits); // VALUES in whole numbers of 2^exponent
const BASE = Float64Array.from(MODEL.base, inUnits);
const SINGLE = MODEL.precision === "float32";
const LARGEST = MODEL.rule === "largest";
const LABELS = MODEL.classes.length;
const CONDITIONS = MODEL.conditions; // [feature, test, where NaN goes]
const ASKED = Int32Array.from(CONDITIONS, ([feature]) => feature);
const LAST = Int32Array.from(CONDITIONS, ([, test]) => (Array.isArray(test) ? -2 : test));
const MISSING = Uint8Array.from(CONDITIONS, ([, , missing]) => missing);
const INSIDE = CONDITIONS.map(([, test]) => (Array.isArray(test) ? new Set(test) : null));
const NAN = FEATURES.map((feature) => (feature.cuts && feature.nan ? feature.cuts.length + 1 : -1));

function bytes(text) {
  const found = atob(text);
  const out = new Uint8Array(found.length);
  for (let k = 0; k < found.length; k += 1) out[k] = found.charCodeAt(k);
  return out;
}

function whole32(text) {
  return new Int32Array(bytes(text).buffer);
}

/** Round to whole units, halves to even ones as Python does; a power of two that is beyond the numbers
 *  is applied in two steps. */
function inUnits(value) {
  const half = Math.trunc(-MODEL.exponent / 2);
  const units = value * 2 ** half * 2 ** (-MODEL.exponent - half);
  const whole = Math.round(units);
  return whole - units === 0.5 && whole % 2 !== 0 ? whole - 1 : whole;
}

function fromUnits(units) {
  const half = Math.trunc(MODEL.exponent / 2);
  return units * 2 ** half * 2 ** (MODEL.exponent - half);
}

/** Give what a leaf adds to a score, of these values. */
function valueOf(values, tree, row, score) {
  if (WIDE > 1) return values[row * WIDE + score];
  return MODEL.scores[tree] === score ? values[row] : 0;
}

function holds(condition, bin) {
  if (INSIDE[condition]) return INSIDE[condition].has(bin);
  return bin === NAN[ASKED[condition]] ? MISSING[condition] === 1 : bin <= LAST[condition];
}

/** Give the row of the values of the leaf that a cell reaches. */
function reached(tree, cell) {
  let at = MODEL.roots[tree];
  while (WHAT[at] >= 0) at = holds(WHAT[at], cell[ASKED[WHAT[at]]]) ? at + 1 : OTHERWISE[at];
  return -1 - WHAT[at];
}

/** Give the sums of a cell as the library adds: in its order, in its precision, not divided. */
function sums(cell) {
  const rounded = SINGLE ? Math.fround : (number) => number;
  const out = Float64Array.from(MODEL.base, (base) => (MODEL.baseLast ? 0 : base));
  for (let tree = 0; tree < MODEL.roots.length; tree += 1) {
    const row = reached(tree, cell);
    if (WIDE > 1) for (let k = 0; k < SCORES; k += 1) out[k] = rounded(out[k] + VALUES[row * WIDE + k]);
    else out[MODEL.scores[tree]] = rounded(out[MODEL.scores[tree]] + VALUES[row]);
  }
  return MODEL.baseLast ? out.map((sum, k) => rounded(sum + MODEL.base[k])) : out;
}

/** Give the class that the library makes of sums; -1 where its rounding hides which. */
function labelOf(all) {
  const { cuts, window, either } = MODEL;
  if (!LARGEST) {
    if (window && cuts.some((cut) => Math.abs(all[0] - cut) <= window)) return -1;
    return cuts.filter((cut) => all[0] > cut).length;
  }
  const rounded = SINGLE ? Math.fround : (number) => number;
  const divided = all.map((sum) => rounded(sum / MODEL.divisor));
  const best = divided.indexOf(Math.max(...divided));
  const near = (sum, k) => (k < best || (either && k > best)) && all[best] - sum <= window;
  return window && all.some(near) ? -1 : best;
}

/** Give the number or probability that a sum means. */
function linked(sum) {
  const number = (sum / MODEL.divisor) * MODEL.factor;
  if (MODEL.link === "logistic") return 1 / (1 + Math.exp(-number));
  if (MODEL.link === "exp") return Math.exp(number);
  return number;
}

/** Say what a class requires of the sums in whole numbers: plus - minus is at least the target.
 *  What rounding can hide is allowed for, so a cell that falls short is not of this class. */
function required(label) {
  const { slack, wholeCuts, window } = MODEL;
  const near = window ? Math.min(inUnits(window) + 1, 2 ** 52) : 0; // no sum differs by as much
  if (LARGEST) {
    return Array.from({ length: SCORES }, (_, other) => other)
      .filter((other) => other !== label)
      .map((other) => ({
        plus: label,
        minus: other,
        target: Number(other < label) - slack[label] - slack[other] - near,
      }));
  }
  const out = [];
  if (label > 0) out.push({ plus: 0, minus: -1, target: wholeCuts[label - 1] + 1 - slack[0] - near });
  if (label < wholeCuts.length) {
    out.push({ plus: -1, minus: 0, target: -wholeCuts[label] - slack[0] - near });
  }
  return out;
}
