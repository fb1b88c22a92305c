/** How many characters must be inserted, removed or replaced to turn one text into the other (Levenshtein). */
export function editDistance(from: string, to: string): number {
  let costs = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const above = costs;
    costs = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      costs.push(Math.min(replaced, (above[column] ?? 0) + 1, (costs[column - 1] ?? 0) + 1));
    }
  }
  return costs[to.length] ?? 0;
}
