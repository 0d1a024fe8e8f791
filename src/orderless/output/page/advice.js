// What to ask next, what still matters, and what would change the answer. Features go by their
// numbers, rows are boxes (see above).

/** Give the leaves that a box reaches, each with its class, its part of the box, and its weight. */
function openLeaves(box) {
  const out = [];
  walk(box, (label, part, at) => {
    out.push({ label, box: part, weight: PAGE.weights[at] });
  });
  return out;
}

/** Whether two classes keep the answer open: they differ, or their numbers are too far apart. */
function far(a, b) {
  if (PAGE.within == null) return a !== b;
  return Math.max(a, b) > PAGE.reach[Math.min(a, b)];
}

/** Whether classes, in their order, leave the answer open. */
function isOpen(labels) {
  return far(labels[0], labels[labels.length - 1]);
}

/** Give the features that can still make a difference: two leaves of different classes, which
 *  differ in that feature alone, are open. */
function mattering(open) {
  const found = new Set();
  for (let a = 0; a < open.length; a += 1) {
    for (let b = a + 1; b < open.length; b += 1) {
      if (open[a].label === open[b].label) continue;
      let apart = -1;
      let count = 0;
      for (let i = 0; i < FEATURES.length && count < 2; i += 1) {
        if (!meets(open[a].box[i], open[b].box[i])) {
          apart = i;
          count += 1;
        }
      }
      if (count === 1) found.add(apart);
    }
  }
  return found;
}

/** Likewise where a number need only be known within a width: the features of which some value
 *  rules out one of two open leaves whose numbers are too far apart. */
function narrowing(open, box) {
  const found = new Set();
  for (const leaf of open) {
    if (!open.some((other) => far(leaf.label, other.label))) continue;
    for (let i = 0; i < FEATURES.length; i += 1) {
      if (!sameSide(leaf.box[i], box[i])) found.add(i);
    }
  }
  return found;
}

function sameSide(a, b) {
  if (Array.isArray(a)) return a.every((on, code) => on === b[code]);
  return a.low === b.low && a.high === b.high && a.nan === b.nan;
}

/** Give the feature to ask next, of those that matter. */
function nextFeature(box, open, matters) {
  if (!matters.size) return null;
  // Beside its own way, a policy for a width may end although the numbers are still far apart.
  const asked = PAGE.policy ? nextOfPolicy(box, matters) : null;
  return asked === null ? nextByGain(box, open, matters) : asked;
}

/** Follow the policy's tree to the first question that is open and matters. */
function nextOfPolicy(box, matters) {
  const here = box.slice();
  for (let node = PAGE.policy[0]; node.length > 1; ) {
    const i = node[0];
    const [yes, no] = parts(node, here[i]);
    if (yes && no && matters.has(i)) return i;
    here[i] = yes || no; // where it makes no difference, either way is right
    node = PAGE.policy[yes ? node[3] : node[4]];
  }
  return null;
}

/** Choose the feature that leaves the fewest leaves open on average, per cost if there are costs. */
function nextByGain(box, open, matters) {
  const now = open.reduce((sum, leaf) => sum + leaf.weight, 0);
  let best = null;
  for (const i of PAGE.order.filter((k) => matters.has(k))) {
    const gain = now - expectedOpen(box, open, i);
    const score = PAGE.costs ? gain / PAGE.costs[i] : gain;
    if (best === null || score > best.score || (score === best.score && gain > best.gain)) {
      best = { i, score, gain };
    }
  }
  return best.i;
}

/** Give the weight of the leaves that stay open on average if a feature is asked; a row that is
 *  then determined has none. A leaf's rows are spread evenly over its bins of the feature. */
function expectedOpen(box, open, i) {
  const sizes = open.map((leaf) => cells(leaf.box[i]).length);
  let expected = 0;
  let total = 0;
  for (const cell of cells(box[i])) {
    let share = 0;
    let left = 0;
    const labels = new Set();
    open.forEach((leaf, k) => {
      if (!meets(leaf.box[i], cell)) return;
      share += leaf.weight / sizes[k];
      left += leaf.weight;
      labels.add(leaf.label);
    });
    total += share;
    if (labels.size && isOpen([...labels].sort((a, b) => a - b))) expected += share * left;
  }
  return expected / total;
}

/** Cut a side into single bins, or single categories. */
function cells(side) {
  if (Array.isArray(side)) {
    return side.flatMap((on, code) => (on ? [side.map((_, other) => other === code)] : []));
  }
  const out = [];
  for (let k = side.low; k <= side.high; k += 1) out.push({ low: k, high: k, nan: false });
  if (side.nan) out.push({ low: 1, high: 0, nan: true });
  return out;
}

/** Give what each answer to a feature would lead to: values with the same outcome together. */
function outcomes(box, i) {
  const of = (side) => ({ side, labels: possible(replaced(box, i, side)) });
  return grouped(cells(box[i]).map(of));
}

/** Give, for each known feature, the other values that alone would change the answer. */
function changes(box, answer) {
  return PAGE.order.flatMap((i) =>
    isWhole(i, box[i])
      ? []
      : outcomes(replaced(box, i, WHOLE[i]), i)
          .filter(({ labels }) => labels.length > 1 || labels[0] !== answer)
          .map((one) => ({ i, ...one })),
  );
}

/** Say all there is to say about a box. */
function advise(box) {
  const open = openLeaves(box);
  const labels = [...new Set(open.map((leaf) => leaf.label))].sort((a, b) => a - b);
  const settled = !isOpen(labels);
  const matters = settled ? new Set() : PAGE.within == null ? mattering(open) : narrowing(open, box);
  const next = nextFeature(box, open, matters);
  return {
    labels,
    settled,
    matters: PAGE.order.filter((i) => matters.has(i)),
    next,
    outcomes: next === null ? [] : outcomes(box, next),
    reason: labels.length > 1 ? [] : reason(box, labels[0]),
    changes: labels.length > 1 ? [] : changes(box, labels[0]),
  };
}
