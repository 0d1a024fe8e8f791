// Outcomes: what the values of one feature lead to.

/** Take bins together that lead to the same classes: any categories, and neighbours among numbers. */
function grouped(pairs) {
  const out = [];
  for (const { side, labels } of pairs) {
    const same = out.filter((one) => one.labels.join() === labels.join());
    const before = Array.isArray(side)
      ? same[0]
      : same.find((one) => one.side.high === side.low - 1 && !side.nan && !one.side.nan);
    if (!before) out.push({ side, labels });
    else if (Array.isArray(side)) before.side = before.side.map((on, code) => on || side[code]);
    else before.side = { ...before.side, high: side.high };
  }
  return out;
}
