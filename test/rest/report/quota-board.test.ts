import { expect, it } from 'vitest';
import type { WindowScope } from '../../../subgraphs/rest/quota/account.js';
import { QuotaBoard } from '../../../subgraphs/rest/report.js';
import { createVirtualClock } from '../support/virtual-clock.js';

/** Guards what `sources` shows of a service's quota. */

const MINUTE = 60_000;
const scopeOf = (name: string): WindowScope => ({ kind: 'window', name, limit: 60, windowMs: MINUTE });
const search = (key: string) => scopeOf(`GET /search ${key}`);

function createBoard() {
  const clock = createVirtualClock();
  return { clock, board: new QuotaBoard(clock) };
}

it('knows nothing before a service has told something', () => {
  expect(createBoard().board.of('alice')).toEqual([]);
});

it('shows each key its own quotas alone, and names no key', () => {
  const { board } = createBoard();
  board.record(search('alice'), 'alice', { limit: 60, remaining: 12, resetSeconds: 30 });
  board.record(search('bob'), 'bob', { limit: 60, remaining: 59, resetSeconds: 60 });
  expect(board.of('alice')).toEqual([{ scope: 'GET /search', limit: 60, remaining: 12, resetSeconds: 30 }]);
  expect(board.of(null)).toEqual([]);
});

it('shows everybody the counters that no key belongs to', () => {
  const { board } = createBoard();
  board.record(scopeOf('host'), 'alice', { limit: 1000, remaining: 7, resetSeconds: 30 });
  const host = { scope: 'host', limit: 1000, remaining: 7, resetSeconds: 30 };
  expect([board.of('bob'), board.of(null)]).toEqual([[host], [host]]);
});

it('believes the lowest rest of a window, because responses overtake each other', async () => {
  const { board, clock } = createBoard();
  board.record(search('alice'), 'alice', { limit: 60, remaining: 40, resetSeconds: 60 });
  await clock.advance(1000);
  board.record(search('alice'), 'alice', { limit: 60, remaining: 41, resetSeconds: 59 });
  expect(board.of('alice')).toMatchObject([{ remaining: 40, resetSeconds: 59 }]);
});

it('believes an earlier end that a later answer names, as calls are held back until then', () => {
  const { board } = createBoard();
  board.record(search('alice'), 'alice', { limit: 60, remaining: 40, resetSeconds: 60 });
  board.record(search('alice'), 'alice', { limit: 60, remaining: 0, resetSeconds: 4 });
  expect(board.of('alice')).toMatchObject([{ remaining: 0, resetSeconds: 4 }]);
});

it('counts the seconds down, and has the whole limit again when the window is over', async () => {
  const { board, clock } = createBoard();
  board.record(search('alice'), 'alice', { limit: 60, remaining: 0, resetSeconds: 20 });
  await clock.advance(15_500);
  expect(board.of('alice')).toMatchObject([{ remaining: 0, resetSeconds: 5 }]);
  await clock.advance(4500);
  expect(board.of('alice')).toMatchObject([{ remaining: 60, resetSeconds: 0 }]);
});

it('begins anew with the next window', async () => {
  const { board, clock } = createBoard();
  board.record(search('alice'), 'alice', { limit: 60, remaining: 0, resetSeconds: 20 });
  await clock.advance(21_000);
  board.record(search('alice'), 'alice', { limit: 30, remaining: 29, resetSeconds: 60 });
  expect(board.of('alice')).toEqual([{ scope: 'GET /search', limit: 30, remaining: 29, resetSeconds: 60 }]);
});
