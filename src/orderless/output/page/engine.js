// What one tree decides.

const NODES = MODEL.nodes;
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

// -- leaves

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
