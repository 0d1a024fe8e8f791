// Put the page together, and keep it together.

const tip = $("tip");
const map = new Picture($("map"), tip, mapPlaces, null);
const scatter = new Picture($("scatter"), tip, null, null);

function setScatter() {
  const [x, y] = [MEASURE.get($("x").value), MEASURE.get($("y").value)];
  scatter.place = scatterPlaces(x, y);
  scatter.decorate = drawFront(x, y);
  scatter.draw();
}

function refresh() {
  judge();
  const words = sentence();
  if ($("left").textContent !== words) $("left").textContent = words;
  $("undo").disabled = past.length === 0;
  $("brush").textContent = state.brush ? `Only ${state.brush.words}.` : "";
  drawFilters();
  drawRanges();
  drawParts();
  drawLive();
}

/** Draw what can be seen. */
function drawParts() {
  drawList();
  drawCompare();
  drawBuilder();
  drawVotes();
  drawTake();
  map.draw();
  scatter.draw();
}

function tabs(list) {
  const all = [...list.querySelectorAll("[role=tab]")];
  const choose = (tab) => {
    for (const one of all) {
      const is = one === tab;
      one.setAttribute("aria-selected", is);
      one.tabIndex = is ? 0 : -1;
      $(one.getAttribute("aria-controls")).hidden = !is;
    }
    drawParts();
  };
  all.forEach((tab, i) => {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const next = { ArrowRight: all[(i + 1) % all.length], ArrowLeft: all.at(i - 1), Home: all[0], End: all.at(-1) }[event.key];
      if (!next) return;
      event.preventDefault();
      choose(next);
      next.focus();
    });
  });
  choose(all[0]);
}

for (const [id, first] of [["x", "error"], ["y", "coverage"]]) {
  $(id).replaceChildren(...MEASURES.map(({ name }) => make("option", { value: name, selected: name === first }, nameOf(name))));
  $(id).addEventListener("change", setScatter);
}
$("undo").addEventListener("click", undo);
$("reset").addEventListener("click", () => change(() => {
  state.want = FEATURES.map(() => "any");
  state.ranges = new Map();
  state.brush = null;
  state.first = null;
  state.rules = [];
}));
$("before").addEventListener("click", () => { state.page--; drawList(); });
$("after").addEventListener("click", () => { state.page++; drawList(); });
$("clear-row").addEventListener("click", () => { row.fill(""); drawRowForm(); drawVotes(); });
$("kept").textContent = `Functions that disagree on more training rows lie farther apart; ${Math.round(100 * SET.kept)}% of the distances are in this plane. The star is the best; darker is better (brighter on a dark screen). Click to put a function beside others, drag to keep only some.`;
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
makeFilters();
makeRanges();
makeEnds();
drawRowForm();
setScatter();
refresh();
for (const list of document.querySelectorAll("[role=tablist]")) tabs(list);
