/** Give the smallest and the largest number that a row can get, whatever its unknown values are. */
function interval(row) {
  const found = possible(read(row)).map((label) => MODEL.classes[label]);
  return [Math.min(...found), Math.max(...found)];
}
