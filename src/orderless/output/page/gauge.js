// The gauge: what is still possible, on the scale of all there is.

const GAUGE = { width: 320, height: 46, left: 8, line: 14 };

function svg(tag, attributes, ...content) {
  const out = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) out.setAttribute(name, String(value));
  out.append(...content);
  return out;
}

/** Give where a number lies on a scale; halves, so that no difference is beyond all numbers. */
function placeOf(number, [low, high]) {
  return GAUGE.left + ((number / 2 - low / 2) / (high / 2 - low / 2)) * (GAUGE.width - 2 * GAUGE.left);
}

/** Draw a scale with its ends in words, the range that is possible, and ticks for numbers that were
 *  found. The words beside it say the same. */
function drawGauge(scale, words, range, ticks) {
  const { width, height, left, line } = GAUGE;
  const [from, to] = range.map((number) => placeOf(number, scale));
  const out = svg("svg", { class: "gauge", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const bar = { y: line - 4, height: 8, rx: 4 };
  out.append(svg("rect", { class: "track", x: left - 4, width: width - 2 * left + 8, ...bar }));
  out.append(svg("rect", { class: "reach", x: from - 4, width: to - from + 8, ...bar }));
  for (const x of ticks.map((number) => placeOf(number, scale))) {
    out.append(svg("rect", { class: "tick", x: x - 1, width: 2, y: line - 9, height: 18 }));
  }
  const text = { class: "end", y: height - 6 };
  out.append(svg("text", { x: left - 4, ...text }, words[0]));
  out.append(svg("text", { x: width - left + 4, "text-anchor": "end", ...text }, words[1]));
  return out;
}
