import { describe, expect, it } from 'vitest';
import { requestIdOf } from '../../runtime/http/request-headers.js';

describe('ids of requests', () => {
  it('are those that were sent if they are safe in logs and headers', () => {
    expect(requestIdOf({ 'x-request-id': 'a.b:c/d+e=f-1_2' })).toBe('a.b:c/d+e=f-1_2');
    const unsafe = ['', 'a b', 'a\nb', 'a"', 'x'.repeat(129), ['a', 'b']];
    for (const sent of unsafe) expect(requestIdOf({ 'x-request-id': sent })).toMatch(/^[\da-f]{32}$/);
  });

  it('are otherwise new each time', () => {
    const ids = Array.from({ length: 2_000 }, () => requestIdOf({}));
    for (const id of ids) expect(id).toMatch(/^[\da-f]{32}$/);
    expect(new Set(ids).size).toBe(2_000);
  });
});
