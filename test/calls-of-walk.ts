/**
 * How many calls it takes to read a list of missions by pages of a size: the first page, then windows of whole pages,
 * each of which has three times as many rows as all before it, up to 500.
 */
export function callsOfWalk(size: number, rows: number): number {
  const most = Math.max(size, 500 - (500 % size));
  let calls = 1;
  for (let read = size; read < rows; calls++) read += Math.min(3 * read, most);
  return calls;
}
