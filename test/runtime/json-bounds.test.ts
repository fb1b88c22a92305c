import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceededBound } from '../../kernel/json-bounds.js';

const LARGE = { depth: 1_000_000, values: 1_000_000 };

/** Number of values and keys of a parsed text, and its depth: the slow way, with which the scan must agree. */
function measure(value: unknown): { readonly values: number; readonly depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, depth: 0 };
  const parts = Object.values(value).map(measure);
  const keys = Array.isArray(value) ? 0 : parts.length;
  return {
    values: parts.reduce((sum, part) => sum + part.values, 1 + keys),
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
  };
}

describe('the bounds of a JSON text', () => {
  it('are those of the value that it holds; an empty list or object counts as two', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6, stringUnit: fc.constantFrom('a', '"', '\\', '\u00e9') }),
        fc.boolean(),
        (value, spaced) => {
          const text = JSON.stringify(value, null, spaced ? 2 : 0);
          const { values, depth } = measure(JSON.parse(text));
          expect(exceededBound(text, { ...LARGE, depth })).toBeNull();
          if (depth > 0) expect(exceededBound(text, { ...LARGE, depth: depth - 1 })).toBe('depth');
          const empty = text.match(/\[\s*\]|\{\s*\}/g)?.length ?? 0;
          expect(exceededBound(text, { ...LARGE, values: values + empty })).toBeNull();
          expect(exceededBound(text, { ...LARGE, values: values + empty - 1 })).toBe('values');
        },
      ),
    );
  });

  it.each([
    ['a quote that is escaped', String.raw`{"a":"[[[\"[[[,,,"}`],
    ['a backslash before the end', String.raw`{"a":"[[[,,,\\"}`],
    ['a long text with escapes', `{"a":"${'x'.repeat(100)}${'\\"[,'.repeat(100)}${'\\\\'.repeat(50)}"}`],
    ['a text that does not end', `{"a":"${'[,'.repeat(1000)}`],
    ['an escape that does not end', `{"a":"${'x'.repeat(40)}\\`],
  ])('pass over %s', (_name, text) => {
    expect(exceededBound(text, { depth: 1, values: 4 })).toBeNull();
  });

  it('are exceeded at once, whatever follows', () => {
    expect(exceededBound('['.repeat(1_000_000), { ...LARGE, depth: 200 })).toBe('depth');
    expect(exceededBound(`[${'"",'.repeat(1_000_000)}`, { ...LARGE, values: 10_000 })).toBe('values');
  });
});
