// The set: functions as trees over 0/1 columns, measures, training rows as bits.
//
// A row mask is a Uint32Array with a bit for each distinct training row. A box says for each feature
// which of its bins are possible, as an array of 0 and 1; null is every bin.

const N = SET.offsets.length - 1;
const MEASURES = SET.measures.map((one) => ({ ...one, values: doubles(one.values) }));
MEASURES.push({ name: "n_trees", better: 0, whole: true, values: SET.trees.map(Number) });
const MEASURE = new Map(MEASURES.map((one) => [one.name, one]));
const PLACES = SET.places.map(doubles);
const WEIGHTS = SET.rows.weights.map(doubles);
const WORDS = SET.rows.words;
const BITS = new Uint32Array(bytes(SET.rows.bits).buffer);
const FEATURES = SET.features;
const COLUMNS = SET.columns.map((column, j) => {
  const feature = FEATURES[column.feature];
  const at = feature.columns.indexOf(j);
  return { ...column, ones: feature.patterns.map((pattern) => pattern[at]) };
});
// Per function and feature whether its tree asks about it.
const USES = usesOf();

function bytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function doubles(text) {
  return new Float64Array(bytes(text).buffer);
}

function usesOf() {
  const out = new Uint8Array(N * FEATURES.length);
  for (let k = 0; k < N; k++) {
    for (let at = SET.offsets[k]; at < SET.offsets[k + 1]; at++) {
      if (SET.column[at] >= 0) out[k * FEATURES.length + SET.columns[SET.column[at]].feature] = 1;
    }
  }
  return out;
}

function uses(k, feature) {
  return USES[k * FEATURES.length + feature] === 1;
}

/** The nodes of a function's tree, nested: {column, yes, no} or {label}. */
function treeOf(k) {
  let at = SET.offsets[k];
  const read = () => {
    const column = SET.column[at];
    const label = SET.label[at++];
    if (column < 0) return { label };
    const yes = read();
    return { column, yes, no: read() };
  };
  return read();
}

const TREES = Array.from({ length: N }, (_, k) => treeOf(k));

/** Every class that a tree gives somewhere in a box, as a list of true and false. */
function classesIn(tree, box, found = SET.classes.map(() => false)) {
  if (tree.label !== undefined) {
    found[tree.label] = true;
    return found;
  }
  const { feature, ones } = COLUMNS[tree.column];
  const before = box[feature];
  for (const [one, child] of [[1, tree.yes], [0, tree.no]]) {
    const side = ones.map((is, bin) => (is === one && (before === null || before[bin]) ? 1 : 0));
    if (!side.includes(1)) continue;
    box[feature] = side;
    classesIn(child, box, found);
  }
  box[feature] = before;
  return found;
}

/** The rows of each class, by a function: a mask per class. */
function rowMasks(k) {
  const out = SET.classes.map(() => new Uint32Array(WORDS));
  const walk = (tree, mask) => {
    if (tree.label !== undefined) {
      for (let w = 0; w < WORDS; w++) out[tree.label][w] |= mask[w];
      return;
    }
    const [yes, no] = [new Uint32Array(WORDS), new Uint32Array(WORDS)];
    const start = tree.column * WORDS;
    for (let w = 0; w < WORDS; w++) {
      yes[w] = mask[w] & BITS[start + w];
      no[w] = mask[w] & ~BITS[start + w];
    }
    walk(tree.yes, yes);
    walk(tree.no, no);
  };
  walk(TREES[k], everyRow());
  return out;
}

function everyRow() {
  const out = new Uint32Array(WORDS);
  for (let i = 0; i < SET.rows.n; i++) out[i >>> 5] |= 1 << (i & 31);
  return out;
}

function rowsIn(mask) {
  const out = [];
  for (let i = 0; i < SET.rows.n; i++) if ((mask[i >>> 5] >>> (i & 31)) & 1) out.push(i);
  return out;
}

function weightOf(mask, label = -1) {
  let sum = 0;
  for (const i of rowsIn(mask)) {
    for (let c = 0; c < WEIGHTS.length; c++) if (label < 0 || c === label) sum += WEIGHTS[c][i];
  }
  return sum;
}

const TOTAL = weightOf(everyRow());

/** The rows on which two functions differ. */
function differing(a, b) {
  const [own, other] = [rowMasks(a), rowMasks(b)];
  const out = everyRow();
  for (let w = 0; w < WORDS; w++) {
    let same = 0;
    for (let c = 0; c < own.length; c++) same |= own[c][w] & other[c][w];
    out[w] &= ~same;
  }
  return out;
}

/** How many of the bins of a feature a value leaves: an array of 0 and 1, or an error in words. */
function sideOf(feature, text) {
  const { kind, patterns, columns } = FEATURES[feature];
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if (kind === "categorical") {
    const bin = FEATURES[feature].bin_of[Number(trimmed)];
    return patterns.map((_, at) => (at === bin ? 1 : 0));
  }
  const number = Number(trimmed.replace(",", "."));
  if (!Number.isFinite(number)) throw new RangeError("not a number");
  if (kind === "integer" && !Number.isInteger(number)) throw new RangeError("not a whole number");
  const value = FEATURES[feature].values === "float32" ? Math.fround(number) : number;
  const bits = columns.map((j) => {
    const holds = value <= SET.columns[j].threshold ? 1 : 0;
    return holds === SET.columns[j].one_is_true ? 1 : 0;
  });
  return patterns.map((pattern) => (pattern.every((bit, at) => bit === bits[at]) ? 1 : 0));
}

function rulesOf(k) {
  return SET.rules.of[k].map(([label, ...said]) => ({
    label,
    conditions: said.map((at) => SET.rules.conditions[at]),
  }));
}

/** The model as orderless reads it. */
function modelOf(k) {
  const nodes = [];
  const add = (tree) => {
    const at = nodes.length;
    const node = { feature: -1, threshold: 0, when_true: -1, when_false: -1, leaf_class: -1 };
    nodes.push(node);
    if (tree.label !== undefined) {
      node.leaf_class = tree.label;
      return at;
    }
    const column = SET.columns[tree.column];
    node.feature = column.feature;
    node.threshold = column.threshold;
    node.nan_true = column.nan_true;
    node.set = column.set;
    const [yes, no] = column.one_is_true ? [tree.yes, tree.no] : [tree.no, tree.yes];
    node.when_true = add(yes);
    node.when_false = add(no);
    return at;
  };
  add(TREES[k]);
  const list = (name) => nodes.map((node) => node[name]);
  const out = {
    format: "orderless-tree", version: 1, space: SET.model.space, classes: SET.model.classes,
    feature: list("feature"), threshold: list("threshold"), when_true: list("when_true"),
    when_false: list("when_false"), leaf_class: list("leaf_class"),
  };
  if (nodes.some((node) => node.nan_true)) out.nan_true = nodes.map((node) => !!node.nan_true);
  const sets = nodes.flatMap(({ set }, at) => (set && set.length ? [[String(at), set]] : []));
  if (sets.length) out.sets = Object.fromEntries(sets);
  return out;
}
