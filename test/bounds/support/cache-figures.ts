/** One cache as `/metrics` reports it, in bytes of heap. */
export interface CacheFigure {
  /** Its name and place. */
  readonly cache: string;
  readonly bytes: number;
  readonly boundBytes: number;
}

const LINE = /^passerelle_cache_(bytes|bound_bytes)\{cache="([^"]+)",where="([^"]+)"\} (\d+)$/gm;

/** All caches of a process, from the text of its metrics. */
export function cacheFigures(metrics: string): readonly CacheFigure[] {
  const figures = new Map<string, CacheFigure>();
  for (const [, kind, name, where, digits] of metrics.matchAll(LINE)) {
    const cache = `${name} ${where}`;
    const known = figures.get(cache) ?? { cache, bytes: Number.NaN, boundBytes: Number.NaN };
    figures.set(cache, { ...known, [kind === 'bytes' ? 'bytes' : 'boundBytes']: Number(digits) });
  }
  return [...figures.values()];
}
