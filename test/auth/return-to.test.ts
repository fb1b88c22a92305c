import { describe, expect, it } from 'vitest';
import { readReturnTo } from '../../gateway/auth/return-to.js';

const GOOD = ['/', '/graphiql', '/graphiql?query=%7Bviewer%7D#x', '/a/b?next=//evil.example', '/a?x=%2F%2Fevil'];

const EVIL = [
  null,
  undefined,
  '',
  'graphiql',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '\\\\evil.example',
  '/x\\..\\evil.example',
  'https:evil.example',
  'https://evil.example',
  'HTTPS://evil.example/graphiql',
  'javascript:alert(1)',
  'data:text/html,x',
  '/%2Fevil.example',
  '/%2f%2fevil.example',
  '/%252Fevil.example',
  '/%25252Fevil.example',
  '/%5Cevil.example',
  '/%255Cevil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/a/..//evil.example',
  '/%2e%2e//evil.example',
  '/a//b',
  ' //evil.example',
  '/ /evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\nset-cookie: a=b',
  '/%0d%0aset-cookie:a=b',
  '/\u0000',
  '/\u00a0/evil.example',
  '/\u200b/evil.example',
  '/\u2028/evil.example',
  '/%zz',
  '/auth/waste/login',
  '/%61uth/waste/login',
  '/x/../auth/waste/login',
  `/${'a'.repeat(5_000)}`,
];

describe('the way back after a login', () => {
  it.each(GOOD)('keeps the local path %j', (path) => {
    expect(readReturnTo(path)).toBe(path);
  });

  it.each(EVIL)('replaces %j by /', (path) => {
    expect(readReturnTo(path)).toBe('/');
  });
});
