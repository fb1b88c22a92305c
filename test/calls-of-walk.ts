/**
 * How many calls it takes to read a list of missions by pages of a size: the first page, up to a thousand, then blocks of
 * whole pages, each of which has three times as many rows as all before it, up to 500; for larger pages, blocks of 500.
 */
export function callsOfWalk(size: number, rows: number): number {
  const most = size > 500 ? 500 : 500 - (500 % size);
  let calls = 1;
  for (let read = Math.min(size, 1_000); read < rows; calls++) read += Math.min(3 * read, most);
  return calls;
}
