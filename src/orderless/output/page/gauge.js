// The gauge of a tree of numbers: what is still possible, on the scale of all its numbers.

const GAUGE = { width: 320, height: 46, left: 8, line: 14 };

function svg(tag, attributes, ...content) {
  const out = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) out.setAttribute(name, String(value));
  out.append(...content);
  return out;
}

/** Give where a number lies on the gauge; halves, so that no difference is beyond all numbers. */
function placeOf(number) {
  const [low, high] = [PAGE.numbers[0] / 2, PAGE.numbers[PAGE.numbers.length - 1] / 2];
  return GAUGE.left + ((number / 2 - low) / (high - low)) * (GAUGE.width - 2 * GAUGE.left);
}

/** Draw the scale, the range that is possible, and a tick for every number that is. The words
 *  beside it say the same. */
function drawGauge(labels) {
  const { width, height, left, line } = GAUGE;
  const places = labels.map((label) => placeOf(PAGE.numbers[label]));
  const [from, to] = [places[0], places[places.length - 1]];
  const out = svg("svg", { class: "gauge", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const bar = { y: line - 4, height: 8, rx: 4 };
  out.append(svg("rect", { class: "track", x: left - 4, width: width - 2 * left + 8, ...bar }));
  out.append(svg("rect", { class: "reach", x: from - 4, width: to - from + 8, ...bar }));
  for (const x of places) out.append(svg("rect", { class: "tick", x: x - 1, width: 2, y: line - 9, height: 18 }));
  const names = PAGE.classes;
  const text = { class: "end", y: height - 6 };
  out.append(svg("text", { x: left - 4, ...text }, names[0]));
  out.append(svg("text", { x: width - left + 4, "text-anchor": "end", ...text }, names[names.length - 1]));
  return out;
}
