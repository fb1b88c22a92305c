import { execute, isObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { subgraphSchema } from '../../subgraphs/graph/subgraph-schema.js';

describe('subgraphSchema', () => {
  it('joins the fields of a type that several drawers resolve', async () => {
    const schema = subgraphSchema('volunteering', [
      { Query: { mission: () => ({ id: 'm' }) }, Mission: { title: () => 'from one drawer' } },
      { Mission: { city: () => 'from another' } },
    ])();
    const { data } = await execute({ schema, document: parse('{ mission(id: "m") { id title city } }') });
    expect(data?.['mission']).toEqual({ id: 'm', title: 'from one drawer', city: 'from another' });
  });

  it('answers federation’s own questions', async () => {
    const schema = subgraphSchema('volunteering', [])();
    const { data } = await execute({ schema, document: parse('{ _service { sdl } }') });
    expect(JSON.stringify(data)).toContain('@key');
    expect(isObjectType(schema.getType('Mission'))).toBe(true);
  });
});
