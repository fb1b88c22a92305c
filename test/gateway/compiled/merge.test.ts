import { describe, expect, test } from 'vitest';
import { merge } from '../../../gateway/execution/compiled/merge.js';

describe('What subgraphs send', () => {
  test('is merged field by field and item by item', () => {
    const target = { mission: { id: '1' }, rows: [{ a: 1 }, { a: 2 }] };
    merge(target, { mission: { title: 'Tri' }, rows: [{ b: 3 }, { b: 4 }] });
    expect(target).toEqual({
      mission: { id: '1', title: 'Tri' },
      rows: [
        { a: 1, b: 3 },
        { a: 2, b: 4 },
      ],
    });
  });

  test('becomes no prototype, whatever its fields are called', () => {
    const target: Record<string, unknown> = {};
    merge(target, JSON.parse('{ "__proto__": { "id": "foreign" }, "constructor": { "id": "2" } }'));
    expect(target['id']).toBeUndefined();
    expect(Object.keys(target)).toEqual(['__proto__', 'constructor']);
  });
});
