import { MUTATION } from './paths.js';

/** A query for the field at the end of a path such as `sources(WorkStudySource).exportLoadedAt`. */
export function queryOf(path: string): string {
  const [first, ...others] = path.split('.');
  return first === MUTATION ? `mutation ${written(others)}` : written([first ?? '', ...others]);
}

function written(path: readonly string[]): string {
  const steps = path.flatMap((step) => {
    const [, field = step, kind] = /^(\w+)\((\w+)\)$/.exec(step) ?? [];
    return kind === undefined ? [field] : [field, `... on ${kind}`];
  });
  const indent = (depth: number): string => '  '.repeat(depth + 1);
  const opened = steps.map((step, depth) => `${indent(depth)}${step}${depth < steps.length - 1 ? ' {' : ''}`);
  const closed = steps.slice(0, -1).map((_, depth) => `${indent(depth)}}`);
  return ['{', ...opened, ...closed.reverse(), '}'].join('\n');
}
