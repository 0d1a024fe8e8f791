// What the page says of one tree; in words, from its advice.

const OFFERED = {
  decide,
  possibleClasses,
  why,
  ...(PAGE.numbers ? { interval } : {}),
  advise: (row) => {
    const { labels, matters, next, settled: done } = advise(read(row));
    return {
      classes: labels.map((label) => MODEL.classes[label]),
      settled: done,
      matters: matters.map((i) => FEATURES[i].name),
      next: next === null ? null : FEATURES[next].name,
    };
  },
};

function consider(box, tell) {
  tell(advise(box));
}

/** Say that the answer is settled, and how exactly. */
function settledState(labels) {
  return labels.length === 1 ? "✓ Certain" : `✓ Known within ${PAGE.within}`;
}

function summary({ labels, next, settled: done }) {
  if (done) return [`${settledState(labels)}: `, ...labelsOf(labels)];
  if (PAGE.numbers) {
    return [...labelsOf(labels), ". Ask next: ", isolated(PAGE.names[next], "name")];
  }
  return ["Ask next: ", isolated(PAGE.names[next], "name")];
}

function verdictOf({ labels, settled: done }, box) {
  const certain = labels.length === 1;
  const yet = PAGE.within == null ? "Not certain yet" : `Not known within ${PAGE.within} yet`;
  const rest = certain ? whatever(box) : [];
  if (!certain) {
    const some = `${labels.length} of the tree’s ${PAGE.classes.length} numbers `;
    rest.push(element("p", "rest", `${PAGE.numbers ? some : ""}are still possible.`));
  }
  if (PAGE.numbers && PAGE.numbers.length > 1) rest.push(numbersGauge(labels));
  return { state: done ? settledState(labels) : yet, what: labelsOf(labels), rest };
}

function detailsOf(advice, box) {
  return advice.settled ? settled(advice, box) : open(advice, box);
}

function settled({ labels, reason: sides, changes: others }, box) {
  const spare = named("Not needed", spareIn(box, []));
  if (labels.length > 1) return spare;
  const out = [element("h3", "", "Because"), ...reasonList(sides)];
  if (!sides.every((side, i) => isWhole(i, side))) {
    out.push(element("h3", "", "What would change it"), ...changesOf(others));
  }
  return [...out, ...spare];
}

function open({ next, outcomes: each, matters }, box) {
  const out = [element("h3", "", "Ask next"), nextButton(next)];
  if (each.length > 1) out.push(...outcomeList(next, each));
  else out.push(element("p", "quiet", NARROWS));
  return [
    ...out,
    ...named("Can still make a difference", matters.filter((i) => i !== next)),
    ...named(SPARE, spareIn(box, matters)),
  ];
}

/** Draw the numbers that are possible, on the scale of all that the tree has. */
function numbersGauge(labels) {
  const [all, names] = [PAGE.numbers, PAGE.classes];
  const found = labels.map((label) => all[label]);
  const range = [found[0], found[found.length - 1]];
  return drawGauge([all[0], all[all.length - 1]], [names[0], names[names.length - 1]], range, found);
}
