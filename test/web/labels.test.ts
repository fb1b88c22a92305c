import { readFileSync } from 'node:fs';
import { buildSchema, getNamedType, isEnumType, isLeafType, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { labelOfService } from '../../analyst/page/elements/format.js';
import { formatCell, labelOfColumn, labelsOfColumns } from '../../analyst/page/labels/labels.js';
import labels from '../../analyst/page/labels/labels.json' with { type: 'json' };
import { language } from '../../analyst/page/state/language.js';
import { mode } from '../../analyst/page/state/mode.js';
import { sampleQueries } from '../queries/read.js';

const schema = buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));

describe('Columns and values beside a question', () => {
  beforeEach(() => {
    language.set('fr');
    mode.set('question');
  });
  afterEach(() => {
    language.set('en');
    mode.set('code');
  });

  test('are named by the end of their path, by what holds them where that says nothing, and apart', () => {
    expect(labelOfColumn('node.organizationName')).toBe('Organisation');
    expect(labelOfColumn('commune.departement.nom')).toBe('Département');
    expect(labelOfColumn('workplace.location.address')).toBe('Adresse de l’employeur');
    expect(labelOfColumn('commune.missions.edges[]')).toBe('Missions');
    expect(['commune/nom', 'commune.nom', 'organizations/siret', 'organizations/title'].map(labelOfColumn)).toEqual([
      'Commune (de la question)',
      'Commune',
      'SIRET (associations)',
      'Associations – titre',
    ]);
    expect(labelOfColumn('Ma colonne')).toBe('Ma colonne');
    expect(labelOfColumn('codeApeInconnu')).toBe('Code ape inconnu');
    const named = labelsOfColumns(['title', 'node.city', 'node.address.city', 'address.city']);
    expect(new Set(Object.values(named)).size).toBeGreaterThan(2);
    language.set('en');
    expect(labelOfColumn('node.organizationName')).toBe('Organization');
  });

  test('say what codes, days, and yes and no are; beside a query all are as they came', () => {
    expect(formatCell('FULL', 'node.remote')).toBe('À distance');
    expect(formatCell('education', 'domain')).toBe('Éducation pour tous');
    expect(formatCell('LEVEL_4', 'intitule.niveau.rncp.europeen')).toMatch(/^Baccalauréat/);
    expect(formatCell(true, 'openToMinors')).toBe('oui');
    expect(formatCell('2026-07-18', 'startAt')).toBe('18/07/2026');
    expect(formatCell('2026-07-17T22:00:00.000Z', 'startAt')).toBe('18/07/2026');
    expect(formatCell('FULL', 'title')).toBe('FULL');
    expect([labelOfService('work-study'), labelOfService('waste-identity')]).toEqual(['Alternance', 'Trackdéchets']);
    mode.set('code');
    expect(formatCell('FULL', 'node.remote')).toBe('FULL');
    expect(formatCell('2026-07-18', 'startAt')).toBe('2026-07-18');
  });

  test('have a French name in every example, and its enums a name for each value', async () => {
    const unnamed = new Set<string>();
    for (const { query } of sampleQueries()) {
      const info = new TypeInfo(schema);
      visit(
        parse(query),
        visitWithTypeInfo(info, {
          Field({ name: { value } }) {
            const type = info.getType();
            const named = type && getNamedType(type);
            if (!named || !isLeafType(named)) return;
            if (!(value in labels.fields)) unnamed.add(value);
            if (!isEnumType(named)) return;
            for (const { name } of named.getValues())
              if (name !== 'OTHER' && formatCell(name, value) === name) unnamed.add(`${value} ${name}`);
          },
        }),
      );
    }
    const notShown = ['hasNextPage', 'endCursor', 'groupCount', 'leavesOut', 'others', 'truncated'];
    expect([...unnamed].filter((name) => !notShown.includes(name))).toEqual([]);
  });
});
