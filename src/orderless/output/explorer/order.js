// A function as a tree in another order: a first question that a person wants, then the fewest.

/** Build an equivalent tree that asks as few questions as possible, on average over the rows. */
function reordered(k, first = null) {
  const asked = [...new Set(columnsOf(TREES[k]))];
  const known = new Map();
  const cost = (box, mask) => best(box, mask).cost;

  function best(box, mask) {
    const key = JSON.stringify(box);
    if (known.has(key)) return known.get(key);
    const classes = classesIn(TREES[k], box);
    const one = classes.indexOf(true);
    let found = { cost: 0, tree: { label: one } };
    if (classes.lastIndexOf(true) !== one) {
      found = { cost: Infinity, tree: null };
      for (const column of asked) {
        const parts = split(box, mask, column);
        if (parts === null) continue;
        const sum = weightOf(mask) + cost(...parts[0]) + cost(...parts[1]);
        if (sum < found.cost) found = { cost: sum, tree: { column, parts } };
      }
    }
    known.set(key, found);
    return found;
  }

  function build(box, mask) {
    const { tree } = best(box, mask);
    return tree.label === undefined ? below(tree.column, tree.parts) : tree;
  }

  function below(column, [yes, no]) {
    return { column, yes: build(...yes), no: build(...no) };
  }

  const whole = FEATURES.map(() => null);
  const parts = first === null ? null : split(whole, everyRow(), first);
  return parts === null ? build(whole, everyRow()) : below(first, parts);
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
    const rows = new Uint32Array(WORDS);
    for (let w = 0; w < WORDS; w++) {
      const bits = BITS[column * WORDS + w];
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
