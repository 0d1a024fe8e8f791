// The set: functions as trees over 0/1 columns, measures, rows as bits.
//
// Rows are {n, words, bits}: a bit for each row and column. A mask is a Uint32Array with a bit for each
// row. A box says for each feature which of its bins are possible, as an array of 0 and 1; null is
// every bin.

const [OFFSETS, COLUMN, LABEL] = SET.nodes.map((text) => new Int32Array(bytes(text).buffer));
const N = OFFSETS.length - 1;
const FEATURES = SET.features;
const F = FEATURES.length;
const TREE_COUNTS = SET.trees.map(Number); // 0: not known
const MEASURES = SET.measures.map((one) => ({ ...one, values: doubles(one.values) }));
MEASURES.push({ name: "n_trees", better: 0, whole: true, values: Float64Array.from(TREE_COUNTS, (n) => n || NaN) });
const MEASURE = new Map(MEASURES.map((one) => [one.name, one]));
for (const measure of MEASURES) Object.assign(measure, endsOf(measure.values));
const PLACES = SET.places.map(doubles);
const TRAINING = rowsOf(SET.rows);
const WEIGHTS = SET.rows.weights.map(doubles);
const GIVEN = SET.table ? rowsOf(SET.table) : null;
const FIRST = SET.first ? SET.first.map(bytes) : null;
const COLUMNS = SET.columns.map((column, j) => {
  const feature = FEATURES[column.feature];
  const at = feature.columns.indexOf(j);
  return { ...column, ones: feature.patterns.map((pattern) => pattern[at]) };
});
// Per function and feature whether its tree asks about it.
const USES = usesOf();
const TREES = Array.from({ length: N }, (_, k) => treeOf(k));
const BEST = MEASURE.get("objective").values.indexOf(MEASURE.get("objective").low);

function bytes(text) {
  const letters = atob(text);
  const out = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) out[i] = letters.charCodeAt(i);
  return out;
}

function doubles(text) {
  return new Float64Array(bytes(text).buffer);
}

function rowsOf({ n, words, bits }) {
  return { n, words, bits: new Uint32Array(bytes(bits).buffer) };
}

/** The smallest and the largest of some numbers, leaving out what is not known. */
function endsOf(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? { low: NaN, high: NaN } : { low, high };
}

function usesOf() {
  const out = new Uint8Array(N * F);
  for (let k = 0; k < N; k++) {
    for (let at = OFFSETS[k]; at < OFFSETS[k + 1]; at++) {
      if (COLUMN[at] >= 0) out[k * F + SET.columns[COLUMN[at]].feature] = 1;
    }
  }
  return out;
}

function uses(k, feature) {
  return USES[k * F + feature] === 1;
}

/** The nodes of a function's tree, nested: {column, yes, no} or {label}. */
function treeOf(k) {
  let at = OFFSETS[k];
  const read = () => {
    const column = COLUMN[at];
    const label = LABEL[at++];
    if (column < 0) return { label };
    const yes = read();
    return { column, yes, no: read() };
  };
  return read();
}

/** Which functions have a tree in the set that first asks one of some columns. */
function beginsWith(columns) {
  return Uint8Array.from({ length: N }, (_, k) => (columns.some((j) => (FIRST[j][k >>> 3] >>> (k & 7)) & 1) ? 1 : 0));
}

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
function rowMasks(k, rows = TRAINING) {
  const { words, bits } = rows;
  const out = SET.classes.map(() => new Uint32Array(words));
  const walk = (tree, mask) => {
    if (tree.label !== undefined) {
      for (let w = 0; w < words; w++) out[tree.label][w] |= mask[w];
      return;
    }
    const [yes, no] = [new Uint32Array(words), new Uint32Array(words)];
    const start = tree.column * words;
    for (let w = 0; w < words; w++) {
      yes[w] = mask[w] & bits[start + w];
      no[w] = mask[w] & ~bits[start + w];
    }
    walk(tree.yes, yes);
    walk(tree.no, no);
  };
  walk(TREES[k], everyRow(rows));
  return out;
}

function everyRow({ n, words } = TRAINING) {
  const out = new Uint32Array(words);
  for (let i = 0; i < n; i++) out[i >>> 5] |= 1 << (i & 31);
  return out;
}

function rowsIn(mask, { n } = TRAINING) {
  const out = [];
  for (let i = 0; i < n; i++) if ((mask[i >>> 5] >>> (i & 31)) & 1) out.push(i);
  return out;
}

/** What the training rows of a mask weigh. */
function weightOf(mask) {
  let sum = 0;
  for (const i of rowsIn(mask)) for (const weights of WEIGHTS) sum += weights[i];
  return sum;
}

const TOTAL = weightOf(everyRow());

/** The rows on which two functions differ. */
function differing(a, b, rows = TRAINING) {
  const [own, other] = [rowMasks(a, rows), rowMasks(b, rows)];
  const out = everyRow(rows);
  for (let w = 0; w < rows.words; w++) {
    let same = 0;
    for (let c = 0; c < own.length; c++) same |= own[c][w] & other[c][w];
    out[w] &= ~same;
  }
  return out;
}

/** What a function says of one row. */
function labelOf(k, i, { words, bits }) {
  let tree = TREES[k];
  while (tree.label === undefined) {
    tree = (bits[tree.column * words + (i >>> 5)] >>> (i & 31)) & 1 ? tree.yes : tree.no;
  }
  return tree.label;
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
    const [yes, no] = [add(tree.yes), add(tree.no)]; // nodes in the order of the library's
    [node.when_true, node.when_false] = column.one_is_true ? [yes, no] : [no, yes];
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
