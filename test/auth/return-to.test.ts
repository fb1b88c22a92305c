import { describe, expect, it } from 'vitest';
import { readReturnTo } from '../../gateway/auth/cross-site.js';
import { createCrossOrigin } from '../../runtime/http/cross-origin.js';
import { recordingLog } from '../gateway/support/open-gateway.js';

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

const ORIGINS = ['https://app.example', 'http://127.0.0.1:5173', 'https://*.preview.example', 'capacitor://localhost'];
const { allows } = createCrossOrigin(ORIGINS, null, { log: recordingLog([]), metrics: null });

const PAGES_OF_ORIGINS = [
  'https://app.example/',
  'https://app.example/auth/done?step=2#x',
  'http://127.0.0.1:5173/a?next=//evil.example',
  'https://branch-7.preview.example/a',
];

const ALMOST_PAGES_OF_ORIGINS = [
  'https://app.example',
  'http://app.example/',
  'https://app.example:8443/',
  'https://app.example.evil.example/',
  'https://app.example@evil.example/',
  'https://user@app.example/',
  'https://evil.example/https://app.example/',
  'https://APP.example/',
  'https://sub.app.example/',
  'https:/app.example/',
  'https://app.example//evil.example',
  'https://app.example/\\evil.example',
  'https://app.example/%5Cevil.example',
  'https://app.example/\r\nset-cookie: a=b',
  'http://127.0.0.1:51730/',
  'https://preview.example/',
  'https://.preview.example/',
  'https://*.preview.example/',
  'https://a.b.preview.example/',
  'https://evil.example#.preview.example/',
  'https://evil.example?.preview.example/',
  'https://evil@branch.preview.example/',
  'https://evil.example\\.preview.example/',
  'capacitor://localhost/',
];

describe('the way back after a login', () => {
  it.each(GOOD)('keeps the local path %j', (path) => {
    expect(readReturnTo(path, () => false)).toBe(path);
    expect(readReturnTo(path, allows)).toBe(path);
  });

  it.each(EVIL)('replaces %j by /', (path) => {
    expect(readReturnTo(path, allows)).toBe('/');
  });

  it.each(PAGES_OF_ORIGINS)('keeps %j, a page of an allowed origin', (page) => {
    expect(readReturnTo(page, allows)).toBe(page);
    expect(readReturnTo(page, () => false)).toBe('/');
  });

  it.each(ALMOST_PAGES_OF_ORIGINS)('replaces %j, which is no page of an allowed origin', (page) => {
    expect(readReturnTo(page, allows)).toBe('/');
  });
});
