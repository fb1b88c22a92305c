import { describe, expect, it } from 'vitest';
import { DEEPEST as MAX_NESTING } from '../../kernel/json-bounds.js';
import { outlineOf } from '../../runtime/http/request-body.js';

const nested = (open: string, levels: number, close: string) => open.repeat(levels) + close.repeat(levels);
const isNestedTooDeep = (document: string) => outlineOf(document).depth > MAX_NESTING;

describe('a document', () => {
  it.each([
    ['selections', '{ a ', '}'],
    ['lists', '[', ']'],
    ['objects', '{a:', '}'],
    ['arguments that nobody closes', 'a(b: (', ''],
  ])('may nest so deep and no deeper: %s', (_what, open, close) => {
    const levels = MAX_NESTING / (open.match(/[([{]/g)?.length ?? 1);
    expect(isNestedTooDeep(nested(open, levels, close))).toBe(false);
    expect(isNestedTooDeep(nested(open, levels + 1, close))).toBe(true);
  });

  it('may have as many brackets side by side as it likes', () => {
    expect(isNestedTooDeep(`{ ${'a(b: [{}]) { c } '.repeat(1000)} }`)).toBe(false);
  });

  it.each([
    ['{ a }', 1],
    ['query A($b: B = {c: 1}) @d(e: {f: 1}) { a { b } } fragment C on D { a }', 2],
    ['{ a } '.repeat(300), 300],
    ['}}} { a } # { b }\n { c(d: "{") }', 2],
  ])('has as many operations and fragments as braces of its own: %#', (document, definitions) => {
    expect(outlineOf(document).definitions).toBe(definitions);
  });

  const many = '[{('.repeat(MAX_NESTING);

  it.each([
    ['a string', `{ a(b: "${many}") }`],
    ['a string with a quote in it', `{ a(b: "\\"${many}") }`],
    ['a block string', `{ a(b: """ " ${many}\n\\""" ${many}""") }`],
    ['a comment', `{ a } # ${many}`],
  ])('does not nest by what is written in %s', (_where, document) => {
    expect(isNestedTooDeep(document)).toBe(false);
  });

  it.each([
    ['a string', `{ a(b: "[") ${many}`],
    ['an empty string', `{ a(b: "") ${many}`],
    ['an empty block string', `{ a(b: """""") ${many}`],
    ['a comment', `{ # "\n${many}`],
  ])('nests by what comes after %s', (_what, document) => {
    expect(isNestedTooDeep(document)).toBe(true);
  });
});
