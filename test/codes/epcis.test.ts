import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { communeIndex } from '../../subgraphs/work-study/communes/commune-index.js';

interface Packaged {
  readonly code: string;
  readonly nom: string;
  readonly populationMunicipale: number;
  readonly membres: readonly { readonly code: string }[];
}

test('The EPCI of every commune is that of the package: npm run epcis', () => {
  const packaged: readonly Packaged[] = createRequire(import.meta.url)(
    '@etalab/decoupage-administratif/data/epci.json',
  );
  const expected = new Map(
    packaged.flatMap(({ code, nom, populationMunicipale: population, membres }) =>
      membres.map((member) => [member.code, { code, nom, population }] as const),
    ),
  );
  let without = 0;
  for (const { insee, epci } of communeIndex().byInsee.values()) {
    if (epci === null) without++;
    const found = epci && { code: epci.code, nom: epci.nom, population: epci.population };
    expect(found, insee).toEqual(expected.get(insee) ?? null);
  }
  expect(without).toBe(98);
  expect(expected.size).toBe(34_871);
});
