// A function as a tree in another order: the questions that a person wants first, then the fewest.

const MOST_BOXES = 20_000;
const reorderings = new Map(); // what was found before

/** An equivalent tree: it asks in a given order, and then as little as possible on average. */
function reordered(k, order = []) {
  const key = `${k} ${order}`;
  if (!reorderings.has(key)) reorderings.set(key, search(k, order));
  return reorderings.get(key);
}

function search(k, order) {
  const asked = [...new Set(columnsOf(TREES[k]))];
  const known = new Map();

  function best(box, mask) {
    const key = JSON.stringify(box);
    if (known.has(key)) return known.get(key);
    if (known.size >= MOST_BOXES) throw new RangeError("too many boxes");
    const classes = classesIn(TREES[k], box);
    const one = classes.indexOf(true);
    let found = { cost: 0, tree: { label: one } };
    if (classes.lastIndexOf(true) !== one) {
      found = { cost: Infinity, tree: null };
      const weight = weightOf(mask);
      // A question that was wanted comes first, wherever its answer is still open.
      const wanted = order.find((column) => split(box, mask, column) !== null);
      for (const column of wanted === undefined ? asked : [wanted]) {
        const parts = split(box, mask, column);
        if (parts === null) continue;
        const [yes, no] = parts.map((part) => best(...part));
        const cost = weight + yes.cost + no.cost;
        if (cost < found.cost) found = { cost, tree: { column, yes: yes.tree, no: no.tree } };
      }
    }
    known.set(key, found);
    return found;
  }

  try {
    return { tree: best(FEATURES.map(() => null), everyRow()).tree, best: true };
  } catch (fault) {
    if (!(fault instanceof RangeError)) throw fault;
    return { tree: TREES[k], best: false };
  }
}

/** Part a box and its rows by a column; null where one side is impossible. */
function split(box, mask, column) {
  const { feature, ones } = COLUMNS[column];
  const sides = [1, 0].map((one) =>
    ones.map((is, bin) => (is === one && (box[feature] === null || box[feature][bin]) ? 1 : 0)),
  );
  if (!sides.every((side) => side.includes(1))) return null;
  return sides.map((side, at) => {
    const inner = [...box];
    inner[feature] = side;
    const { words } = TRAINING;
    const rows = new Uint32Array(words);
    for (let w = 0; w < words; w++) {
      const bits = TRAINING.bits[column * words + w];
      rows[w] = mask[w] & (at === 0 ? bits : ~bits);
    }
    return [inner, rows];
  });
}

function columnsOf(tree, out = []) {
  if (tree.label === undefined) {
    out.push(tree.column);
    columnsOf(tree.yes, out);
    columnsOf(tree.no, out);
  }
  return out;
}

/** Questions that a tree asks a row on average; a question is a condition. */
function questionsOf(tree, mask = everyRow()) {
  if (tree.label !== undefined) return 0;
  const inner = split(FEATURES.map(() => null), mask, tree.column);
  const here = weightOf(mask);
  const sum = (part) => questionsOf(part[0], part[1]) * weightOf(part[1]);
  return here === 0 ? 0 : 1 + (sum([tree.yes, inner[0][1]]) + sum([tree.no, inner[1][1]])) / here;
}
