import { describe, expect, it } from 'vitest';
import { isUai } from '../../subgraphs/codes/registers.js';

describe('isUai', () => {
  it.each(['0491801S', '491801S', '0352660b', '0010001W', '0594899E', '0751234J'])('accepts %s', (text) => {
    expect(isUai(text)).toBe(true);
  });

  it.each(['0491801T', '0491810S', '1I', '00491801S', 'S', '0491801', ' 0491801S', '0491801S\n', '٠491801S'])(
    'refuses %j',
    (text) => {
      expect(isUai(text)).toBe(false);
    },
  );
});
