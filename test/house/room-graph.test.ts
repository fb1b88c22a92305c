import { describe, expect, test } from 'vitest';
import { roomGraph } from '../../scripts/docs/room-graph.js';

describe('The drawing of the rooms', () => {
  test('has an arrow for each direct dependency, and none that follows from others', () => {
    const drawing = roomGraph([
      { from: 'main.ts', to: 'gateway/index.js' },
      { from: 'main.ts', to: 'runtime/log.js' },
      { from: 'gateway/index.ts', to: 'gateway/auth/login.js' },
      { from: 'gateway/auth/login.ts', to: 'gateway/auth/cookies.js' },
      { from: 'gateway/auth/login.ts', to: 'runtime/stores/store.js' },
    ]);
    const lines = drawing.split('\n').map((line) => line.trim());
    expect(lines.filter((line) => line.includes('-->'))).toEqual([
      'n_gateway_auth --> n_runtime',
      'n_gateway_index --> n_gateway_auth',
      'n_main --> n_gateway_index',
    ]);
    expect(lines).toContain('n_gateway_auth["auth"]');
  });

  test('cannot be made with an arrow up', () => {
    const imports = [
      { from: 'gateway/auth/a.ts', to: 'gateway/http/b.js' },
      { from: 'gateway/http/c.ts', to: 'gateway/auth/d.js' },
    ];
    expect(() => roomGraph(imports)).toThrow('lead back');
  });
});
