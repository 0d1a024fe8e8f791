// The scale of a number: its bins as a line of segments, with the cuts between them.

/** Draw the bins of a feature as a line of segments, with its cuts between them. */
function drawScale(scale, i, side, known) {
  const { words } = FEATURES[i];
  if (words.length > 8) return;
  const segments = Array.from({ length: words.length + 1 }, (_, k) => {
    const on = known && side.low <= k && k <= side.high;
    const segment = element("span", on ? "segment on" : "segment");
    if (k) segment.append(element("span", "cut", words[k - 1][0]));
    return segment;
  });
  scale.replaceChildren(...segments);
  spread(scale);
}

/** Put the labels of cuts that are close into several lines; what has no room in three is left
 *  out, and the field's own words name every cut that matters. */
function spread(scale) {
  const ends = [];
  const gap = 6;
  for (const cut of scale.querySelectorAll(".cut")) {
    const { left, right } = cut.getBoundingClientRect();
    const line = [0, 1, 2].find((k) => ends[k] === undefined || ends[k] + gap <= left);
    cut.className = ["cut", "cut second", "cut third"][line] || "cut";
    cut.hidden = line === undefined;
    if (line !== undefined) ends[line] = right;
  }
  scale.className = ["scale", "scale", "scale two", "scale three"][ends.length];
}
