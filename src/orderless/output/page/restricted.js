// The trees of a sum, restricted to a box: the leaves that it reaches, over as few bins as tell them
// apart. A leaf has one side for each feature that it asks about, and all sides are numbered: a side
// is a set of bins, 32 to a word. A set of bins for each feature stands in one array of words.

/** Restrict all trees to a box; trees that are constant in it only add to the base. */
function* restricted(box) {
  const found = { box, base: BASE.slice(), trees: [], start: [0], rows: [], sideStart: [0], sides: [] };
  const table = { keys: FEATURES.map(() => new Map()), feature: [], side: [] };
  const here = box.slice();
  for (let tree = 0; tree < MODEL.roots.length; tree += 1) {
    const row = leavesOf(MODEL.roots[tree], here, box, found, table);
    if (row >= 0) {
      for (let k = 0; k < SCORES; k += 1) found.base[k] += valueOf(UNITS, tree, row, k);
    } else {
      found.trees.push(tree);
      found.start.push(found.rows.length);
    }
    yield;
  }
  const bins = FEATURES.map((_, i) => binsOf(i, box[i], table));
  return { ...packed(found), ...worded(table, bins), bins };
}

/** Collect the leaves below a node; where they are all the same, give their row of values instead. */
function leavesOf(at, here, box, found, table) {
  const condition = WHAT[at];
  if (condition < 0) return -1 - condition;
  const i = ASKED[condition];
  const before = here[i];
  const [yes, no] = parts(CONDITIONS[condition], before);
  if (!no) return leavesOf(at + 1, here, box, found, table);
  if (!yes) return leavesOf(OTHERWISE[at], here, box, found, table);
  here[i] = yes;
  const first = leavesOf(at + 1, here, box, found, table);
  here[i] = no;
  const second = leavesOf(OTHERWISE[at], here, box, found, table);
  if (second >= 0 && second !== first) addLeaf(second, here, box, found, table);
  here[i] = yes;
  if (first >= 0 && second !== first) addLeaf(first, here, box, found, table);
  here[i] = before;
  return first === second ? first : -1; // -1, too, where both are many
}

function addLeaf(row, here, box, found, table) {
  for (let i = 0; i < here.length; i += 1) {
    if (here[i] !== box[i]) found.sides.push(numberOf(i, here[i], table));
  }
  found.sideStart.push(found.sides.length);
  found.rows.push(row);
}

/** Number a side; equal sides have one number. */
function numberOf(i, side, { keys, feature, side: all }) {
  const key = Array.isArray(side)
    ? side.map(Number).join("")
    : (side.low * 2 ** 17 + side.high) * 2 + Number(side.nan);
  let number = keys[i].get(key);
  if (number === undefined) {
    number = all.length;
    keys[i].set(key, number);
    feature.push(i);
    all.push(side);
  }
  return number;
}

/** Cut what a box allows of a feature into the bins that the leaves tell apart, as sides. */
function binsOf(i, side, table) {
  const own = table.side.filter((_, k) => table.feature[k] === i);
  if (Array.isArray(side)) {
    const groups = new Map();
    side.forEach((on, code) => {
      if (!on) return;
      const name = own.map((other) => Number(other[code])).join("");
      if (!groups.has(name)) groups.set(name, side.map(() => false));
      groups.get(name)[code] = true;
    });
    return [...groups.values()];
  }
  const out = [];
  if (side.low <= side.high) {
    const cuts = new Set([side.low, side.high + 1]);
    for (const { low, high } of own) {
      if (low <= high) cuts.add(low).add(high + 1);
    }
    const ends = [...cuts].sort((a, b) => a - b);
    ends.slice(1).forEach((end, k) => out.push({ low: ends[k], high: end - 1, nan: false }));
  }
  if (side.nan) out.push({ low: 1, high: 0, nan: true });
  return out;
}

function packed({ box, base, trees, start, rows, sideStart, sides }) {
  const [first, row, from, of] = [start, rows, sideStart, sides].map((list) => Int32Array.from(list));
  return { box, base, trees, start: first, rows: row, sideStart: from, sides: of };
}

/** Write the sides as words. */
function worded(table, bins) {
  const wordStart = new Int32Array(bins.length + 1);
  bins.forEach((own, i) => {
    wordStart[i + 1] = wordStart[i] + ((own.length + 31) >> 5);
  });
  const full = new Int32Array(wordStart[bins.length]);
  bins.forEach((own, i) => own.forEach((_, k) => setBit(full, wordStart[i], k)));
  const sideAt = new Int32Array(table.side.length + 1);
  table.feature.forEach((i, k) => {
    sideAt[k + 1] = sideAt[k] + wordStart[i + 1] - wordStart[i];
  });
  const words = new Int32Array(sideAt[table.side.length]);
  table.side.forEach((side, k) => setBits(words, sideAt[k], side, bins[table.feature[k]]));
  return { wordStart, full, sideAt, sideFeature: Int32Array.from(table.feature), words };
}

/** Set the bits of the bins that a side has; those of numbers stand in their order, NaN last. */
function setBits(words, at, side, bins) {
  if (Array.isArray(side)) {
    bins.forEach((bin, b) => {
      if (meets(side, bin)) setBit(words, at, b);
    });
    return;
  }
  const last = bins.length - 1;
  let [b, end] = [0, bins[last].nan ? last : bins.length];
  if (side.nan) setBit(words, at, last);
  for (let step = end; step > 1; ) {
    step = (step + 1) >> 1; // the first bin of the side, by halving
    if (b + step < end && bins[b + step].low <= side.low) b += step;
  }
  if (side.low > side.high) return; // only NaN
  for (; b < end && bins[b].low <= side.high; b += 1) setBit(words, at, b);
}

function setBit(words, start, bit) {
  words[start + (bit >> 5)] |= 1 << (bit & 31);
}

function hasBit(words, start, bit) {
  return (words[start + (bit >> 5)] >>> (bit & 31)) & 1;
}

/** Give the number of some value that a bin has. */
function someBin(i, side) {
  if (Array.isArray(side)) return side.indexOf(true);
  return side.low > side.high ? NAN[i] : (side.low + side.high) >> 1;
}

function someOf(i, sides) {
  return someBin(i, sides[sides.length >> 1]);
}

/** Give the bins of a feature that are allowed, as sides. */
function allowed({ bins, wordStart, full }, i) {
  return bins[i].filter((_, b) => hasBit(full, wordStart[i], b));
}

/** Allow one bin of a feature only. */
function only(problem, i, b) {
  return among(problem, i, [b]);
}

/** Allow some bins of a feature only. */
function among(problem, i, some) {
  const full = problem.full.slice();
  full.fill(0, problem.wordStart[i], problem.wordStart[i + 1]);
  for (const b of some) setBit(full, problem.wordStart[i], b);
  return { ...problem, full };
}
