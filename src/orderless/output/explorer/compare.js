// Functions side by side: rules with what differs marked, measures, trees, rows that tell them apart.

const MOST_ROWS = 100; // that are shown of a table

function drawCompare() {
  if ($("panel-compare").hidden) return;
  const { chosen } = state;
  if (!chosen.length) {
    $("compare").replaceChildren(make("p", { class: "quiet" }, "Choose functions in a picture or in the list: up to four stand here side by side."));
    return;
  }
  const cards = chosen.map((k, i) => make("article", { class: "function", "data-function": SET.fingerprints[k] },
    make("h3", {}, `${LETTERS[i]} `, make("button", { type: "button", class: "plain", onclick: () => toggle(k), "aria-label": `remove ${LETTERS[i]}` }, "remove")),
    ruleList(k, chosen.filter((o) => o !== k)), measureList(k), treeBox(k, i)));
  const pairs = [];
  for (let a = 0; a < chosen.length; a++) for (let b = a + 1; b < chosen.length; b++) pairs.push(pairBox(a, b));
  $("compare").replaceChildren(make("div", { class: "cards" }, ...cards), ...pairs);
}

function measureList(k) {
  return make("dl", {}, ...MEASURES.flatMap(({ name, values, whole }) =>
    [make("dt", {}, nameOf(name)), make("dd", { "data-measure": name }, shownNumber(values[k], whole))]));
}

const orders = new Map(); // function -> the questions that a person wants first, in their order
const opened = new Set(); // functions whose tree is looked at

function treeBox(k, i) {
  const asked = [...new Set(columnsOf(TREES[k]))];
  const inner = make("div", { class: "tree" });
  const draw = () => {
    const order = orders.get(k) ?? [];
    const choices = [...order, null].slice(0, asked.length).map((chosen, at) => make("select", {
      "aria-label": `question ${at + 1} of ${LETTERS[i]}`,
      onchange: (event) => {
        const { value } = event.target;
        orders.set(k, [...order.slice(0, at), ...(value === "" ? [] : [Number(value)])]);
        draw();
        inner.querySelectorAll("select")[at]?.focus();
      },
    }, make("option", { value: "" }, at ? "then the fewest questions" : "the fewest questions"),
    ...asked.filter((j) => !order.slice(0, at).includes(j)).map((j) => make("option", { value: j, selected: j === chosen }, `${at ? "then" : "first"}: ${COLUMNS[j].yes}`))));
    const { tree, best } = reordered(k, order);
    const words = `${shownNumber(questionsOf(tree), false)} questions on average over the training rows`;
    const note = best ? words : `${words}; there are too many orders to compare, so this is the tree of the set`;
    inner.replaceChildren(make("div", { class: "tools" }, ...choices), branch(tree), make("p", { class: "quiet" }, note));
  };
  const look = (open) => {
    if (open && !opened.has(k)) draw();
    if (open) opened.add(k);
    else opened.delete(k);
  };
  // Drawn with the click: "toggle" comes later, and alone only where the browser opens the box.
  const head = make("summary", { onclick: () => look(!box.open) }, "As a tree");
  const box = make("details", { open: opened.has(k), ontoggle: () => { if (box.isConnected) look(box.open); } }, head, inner);
  if (box.open) draw();
  return box;
}

function branch(tree) {
  if (tree.label !== undefined) return make("span", { class: `leaf class-${tree.label % 10}` }, bdi(SET.classes[tree.label]));
  const { yes, no } = COLUMNS[tree.column];
  const side = (words, child) => make("li", {}, bdi(words), ": ", branch(child));
  return make("ul", { class: "branch" }, side(yes, tree.yes), side(no, tree.no));
}

function pairBox(a, b) {
  const mask = differing(state.chosen[a], state.chosen[b]);
  const weight = weightOf(mask);
  const words = `${LETTERS[a]} and ${LETTERS[b]} differ on ${shownNumber(weight, Number.isInteger(weight))} of ${shownNumber(TOTAL, Number.isInteger(TOTAL))} training rows (${shownNumber((100 * weight) / TOTAL, false)}%).`;
  const rows = rowsIn(mask);
  const used = [...new Set([...columnsOf(TREES[state.chosen[a]]), ...columnsOf(TREES[state.chosen[b]])])];
  const kinds = new Map();
  for (const i of rows) {
    const key = used.map((j) => (TRAINING.bits[j * TRAINING.words + (i >>> 5)] >>> (i & 31)) & 1).join("");
    const sums = kinds.get(key) ?? SET.classes.map(() => 0);
    sums.forEach((_, c) => { sums[c] += WEIGHTS[c][i]; });
    kinds.set(key, sums);
  }
  const size = (sums) => sums.reduce((x, y) => x + y, 0);
  const lines = [...kinds].sort((x, y) => size(y[1]) - size(x[1])).slice(0, 8).map(([key, sums]) =>
    make("li", {}, bdi(used.map((j, at) => (key[at] === "1" ? COLUMNS[j].yes : COLUMNS[j].no)).join(" AND ")),
      `; truly ${sums.map((n, c) => `${SET.classes[c]}: ${shownNumber(n, Number.isInteger(n))}`).join(", ")}`));
  const more = kinds.size > 8 ? [make("p", { class: "quiet" }, `and ${kinds.size - 8} kinds of rows more`)] : [];
  return make("section", { class: "pair" }, make("p", {}, words), make("ul", {}, ...lines), ...more, ...rowsBox(a, b));
}

/** The rows of the table that was given on which two functions differ. */
function rowsBox(a, b) {
  if (!GIVEN) return [];
  const [one, other] = [state.chosen[a], state.chosen[b]];
  const rows = rowsIn(differing(one, other, GIVEN), GIVEN);
  const say = `Of the ${grouped(GIVEN.n)} rows of the table they differ on ${grouped(rows.length)}`;
  const some = rows.slice(0, MOST_ROWS);
  const words = make("p", { class: "rows-words" }, rows.length > some.length ? `${say}; the first ${MOST_ROWS} are:` : `${say}${rows.length ? ":" : "."}`);
  if (!some.length) return [words];
  // What they say, what they ask about, and then all else.
  const about = new Set(FEATURES.filter((_, f) => uses(one, f) || uses(other, f)).map(({ name }) => name));
  const columns = [...SET.table.columns].sort((x, y) => about.has(y.name) - about.has(x.name));
  const names = ["row", LETTERS[a], LETTERS[b], ...columns.map(({ name }) => name)];
  const said = (k, i) => make("td", {}, bdi(SET.classes[labelOf(k, i, GIVEN)]));
  const body = some.map((i) => make("tr", { "data-row": i }, make("td", { class: "number" }, grouped(i + 1)),
    said(one, i), said(other, i), ...columns.map(({ texts, at }) => make("td", {}, bdi(texts[at[i]])))));
  return [words, make("div", { class: "rows", tabindex: "0", role: "region", "aria-label": `rows on which ${LETTERS[a]} and ${LETTERS[b]} differ` },
    make("table", {}, make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, bdi(name))))), make("tbody", {}, ...body)))];
}

