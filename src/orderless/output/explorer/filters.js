// Which functions are left, and how many would be.

const WANTS = ["any", "must", "not"];
const state = {
  want: FEATURES.map(() => "any"),
  ranges: new Map(), // measure -> [from, to], null: open
  brush: null, // {words, has: Uint8Array}
  first: null, // {words, name, has: Uint8Array, or null where that is not known}
  rules: [], // {words, label, has: Uint8Array}
  chosen: [], // functions side by side
  sort: "objective",
  page: 0,
};
const past = [];
let left = [];
let counts = [];
let used = []; // by feature, how many of the functions that are left ask about it

/** Change what is asked for, so that it can be undone. */
function change(make) {
  past.push({
    want: [...state.want], ranges: new Map(state.ranges), brush: state.brush,
    first: state.first, rules: [...state.rules],
  });
  make();
  state.page = 0;
  refresh();
}

function undo() {
  const before = past.pop();
  if (before) Object.assign(state, before);
  state.page = 0;
  refresh();
}

/** Find the functions that are left, and for each feature how many would be by each wish. */
function judge() {
  const masks = [state.brush, state.first, ...state.rules].filter((one) => one?.has).map((one) => one.has);
  const ranges = [...state.ranges].map(([name, ends]) => [MEASURE.get(name).values, ...ends]);
  const wished = []; // [feature, whether it must be asked about]
  state.want.forEach((wish, f) => { if (wish !== "any") wished.push([f, wish === "must" ? 1 : 0]); });
  // Among the functions that meet everything but, at most, the wish about the feature itself.
  const [any, must] = [new Uint32Array(F), new Uint32Array(F)];
  const all = new Uint32Array(F);
  left = [];
  functions: for (let k = 0; k < N; k++) {
    for (const has of masks) if (!has[k]) continue functions;
    for (const [values, from, to] of ranges) if (!within(values[k], from, to)) continue functions;
    let failed = -1;
    for (const [f, is] of wished) {
      if (USES[k * F + f] === is) continue;
      if (failed >= 0) continue functions;
      failed = f;
    }
    if (failed >= 0) {
      any[failed]++;
      must[failed] += USES[k * F + failed];
      continue;
    }
    left.push(k);
    for (let f = 0, at = k * F; f < F; f++, at++) all[f] += USES[at];
  }
  used = all;
  counts = FEATURES.map((_, f) => {
    const [n, with_] = [left.length + any[f], all[f] + must[f]];
    return { any: n, must: with_, not: n - with_ };
  });
}

function within(value, from, to) {
  if (Number.isNaN(value)) return from === null && to === null;
  return (from === null || value >= from) && (to === null || value <= to);
}

/** How many trees the functions that are left have together; null where that is not known. */
function treesLeft() {
  let sum = 0;
  for (const k of left) {
    if (TREE_COUNTS[k] === 0) return null;
    sum += TREE_COUNTS[k];
  }
  if (sum <= Number.MAX_SAFE_INTEGER) return BigInt(sum);
  return left.reduce((total, k) => total + BigInt(SET.trees[k]), 0n);
}

/** Say in a sentence what is left. */
function sentence() {
  if (!left.length) return "No function is left: undo, or ask for less.";
  const trees = treesLeft();
  const [all, none] = [[], []];
  FEATURES.forEach((feature, f) => {
    if (!feature.columns.length) return;
    if (used[f] === left.length) all.push(feature.name);
    if (used[f] === 0) none.push(feature.name);
  });
  const some = left.length === 1 ? "1 function" : `${grouped(left.length)} functions`;
  const parts = [SET.all ? some : `${some} of those that are shown`];
  if (trees !== null) parts[0] += `, ${grouped(trees)} ${trees === 1n ? "tree" : "trees"}`;
  if (all.length) parts.push(`${left.length === 1 ? "it uses" : "all use"} ${listed(all)}`);
  if (none.length) parts.push(`${left.length === 1 ? "it does not use" : "none uses"} ${listed(none)}`);
  return `${parts.join("; ")}.`;
}

function listed(names) {
  const some = names.slice(0, 4);
  if (names.length > 4) return `${some.join(", ")} and ${names.length - 4} more`;
  if (some.length < 2) return some.join("");
  return `${some.slice(0, -1).join(", ")} and ${some.at(-1)}`;
}

/** What was chosen, in words. */
function choices() {
  const out = [];
  state.want.forEach((wish, f) => {
    if (wish === "must") out.push(`uses ${FEATURES[f].name}`);
    if (wish === "not") out.push(`does not use ${FEATURES[f].name}`);
  });
  for (const [name, [from, to]] of state.ranges) {
    if (from !== null) out.push(`${name} >= ${from}`);
    if (to !== null) out.push(`${name} <= ${to}`);
  }
  if (state.first) out.push(state.first.words);
  if (state.brush) out.push(state.brush.words);
  for (const rule of state.rules) out.push(rule.words);
  return out;
}

/** The functions that no other beats in two measures, of those that are left. */
function frontOf(x, y) {
  const loss = (one, k) => (one.better > 0 ? -one.values[k] : one.values[k]);
  const known = left.filter((k) => !Number.isNaN(x.values[k]) && !Number.isNaN(y.values[k]));
  known.sort((a, b) => loss(x, a) - loss(x, b) || loss(y, a) - loss(y, b));
  const out = [];
  let best = Infinity;
  let bestX = NaN;
  for (const k of known) {
    const value = loss(y, k);
    if (value < best || (value === best && loss(x, k) === bestX)) {
      if (value < best) bestX = loss(x, k);
      best = value;
      out.push(k);
    }
  }
  return out;
}

const sorted = new Map(); // measure -> all functions in its order, found once

function sortedBy(name) {
  if (!sorted.has(name)) {
    const { values, better } = MEASURE.get(name);
    const sign = better > 0 ? -1 : 1;
    sorted.set(name, Uint32Array.from(values, (_, k) => k).sort((a, b) => {
      const [one, other] = [values[a], values[b]];
      if (Number.isNaN(one) || Number.isNaN(other)) return Number.isNaN(one) - Number.isNaN(other) || a - b;
      return sign * (one - other) || a - b;
    }));
  }
  return sorted.get(name);
}

/** The functions that are left, in the order that was asked for. */
function ordered() {
  const there = new Uint8Array(N);
  for (const k of left) there[k] = 1;
  return sortedBy(state.sort).filter((k) => there[k]);
}

// -- words

function grouped(number) {
  return number.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function shownNumber(value, whole) {
  if (Number.isNaN(value)) return "–";
  return whole ? grouped(value) : String(Number(value.toPrecision(4)));
}

const NAMES = {
  objective: "objective", error: "training error", held_out_error: "held-out error",
  sensitivity: "sensitivity", specificity: "specificity", leaves: "leaves",
  n_features: "features", questions: "questions", coverage: "coverage", cost: "cost",
  agreement: "agreement", overruled: "overruled", n_trees: "trees",
};

function nameOf(measure) {
  return NAMES[measure] ?? measure;
}
