// What the page says of one tree; in words, from its advice.

const OFFERED = {
  decide,
  possibleClasses,
  why,
  ...(PAGE.numbers ? { interval } : {}),
  advise: (row) => {
    const { labels, matters, next } = advise(read(row));
    return {
      classes: labels.map((label) => MODEL.classes[label]),
      matters: matters.map((i) => FEATURES[i].name),
      next: next === null ? null : FEATURES[next].name,
    };
  },
};

function consider(box, tell) {
  tell(advise(box));
}

function summary({ labels, next, certain }) {
  if (certain) return ["✓ Certain: ", ...labelsOf(labels)];
  if (PAGE.numbers) {
    return [...labelsOf(labels), ". Ask next: ", isolated(PAGE.names[next], "name")];
  }
  return ["Ask next: ", isolated(PAGE.names[next], "name")];
}

function verdictOf({ labels, certain }, box) {
  const rest = certain ? whatever(box) : [];
  if (!certain) {
    const some = `${labels.length} of the tree’s ${PAGE.classes.length} numbers `;
    rest.push(element("p", "rest", `${PAGE.numbers ? some : ""}are still possible.`));
  }
  if (PAGE.numbers && PAGE.numbers.length > 1) rest.push(numbersGauge(labels));
  return { state: certain ? "✓ Certain" : "Not certain yet", what: labelsOf(labels), rest };
}

function detailsOf(advice, box) {
  return advice.certain ? settled(advice, box) : open(advice, box);
}

function settled({ reason: sides, changes: others }, box) {
  const out = [element("h3", "", "Because"), ...reasonList(sides)];
  if (!sides.every((side, i) => isWhole(i, side))) {
    out.push(element("h3", "", "What would change it"), ...changesOf(others));
  }
  return [...out, ...named("Not needed", spareIn(box, []))];
}

function open({ next, outcomes: each, matters }, box) {
  const out = [element("h3", "", "Ask next"), nextButton(next)];
  if (each.length > 1) out.push(...outcomeList(next, each));
  else out.push(element("p", "quiet", NARROWS));
  return [
    ...out,
    ...named("Can still make a difference", matters.filter((i) => i !== next)),
    ...named("Makes no difference", spareIn(box, matters)),
  ];
}

/** Draw the numbers that are possible, on the scale of all that the tree has. */
function numbersGauge(labels) {
  const [all, names] = [PAGE.numbers, PAGE.classes];
  const found = labels.map((label) => all[label]);
  const range = [found[0], found[found.length - 1]];
  return drawGauge([all[0], all[all.length - 1]], [names[0], names[names.length - 1]], range, found);
}
