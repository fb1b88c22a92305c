/**
 * Rows of an export of any length, one at a time, to measure the index of SIRETs: two offers per SIRET, about 3.4 kB
 * each, with accents, escaped quotes, backslashes, nested braces and the text `"siret"` inside descriptions.
 */
export function* hugeExportRows(offers: number): Iterable<unknown> {
  for (let i = 0; i < offers; i += 1) yield hugeOffer(i);
}

/** The SIRET of a row, shared by two consecutive rows, with a valid check digit. */
function hugeExportSiret(row: number): string {
  const digits = `${String(100_000_000 + (row >> 1) * 7).padStart(9, '0')}0001`;
  return `${digits}${luhnDigit(digits)}`;
}

const PARAGRAPH =
  'L’équipe « accueil & médiation » cherche une personne rigoureuse ; "siret": "00000000000000" n’est ici que du texte, ' +
  'comme {"workplace": {"siret": null}} ou le chemin C:\\offres\\été. Rémunération selon l’âge, tutorat assuré.\n';

function hugeOffer(row: number): unknown {
  const id = row.toString(16).padStart(24, '0');
  return {
    identifier: {
      id,
      partner_job_id: `grand-${row}`,
      partner_label: row % 3 === 0 ? 'offres_emploi_lba' : 'Hellowork',
    },
    workplace: {
      name: `Établissement n° ${row}`,
      description: row % 5 === 0 ? null : PARAGRAPH.repeat(3),
      website: null,
      siret: row % 97 === 0 ? null : hugeExportSiret(row),
      location: {
        address: `${row % 200} rue de la République ${String(1000 + (row % 94000)).padStart(5, '0')} Saint-Étienne`,
        geopoint: { type: 'Point', coordinates: [2 + (row % 500) / 100, 44 + (row % 400) / 100] },
      },
      brand: null,
      legal_name: `SOCIÉTÉ D'ESSAI "${row}"`,
      size: '10-19',
      domain: { idcc: 1979, opco: 'OPCO 2i', naf: { code: '6201Z', label: 'Programmation informatique' } },
    },
    apply: { phone: null, url: `https://emplois.example/offre/${id}`, recipient_id: `partners_${id}` },
    contract: { start: '2026-10-01T00:00:00.000Z', duration: 12, type: ['Apprentissage'], remote: null },
    offer: {
      title: `Apprenti·e n° ${row}`,
      desired_skills: ['Rigueur', 'Écoute'],
      to_be_acquired_skills: [],
      access_conditions: [],
      opening_count: 1,
      publication: { creation: '2026-08-01T00:00:00.000Z', expiration: '2099-01-01T00:00:00.000Z' },
      rome_codes: ['M1805'],
      description: PARAGRAPH.repeat(10),
      target_diploma: null,
      status: 'Active',
    },
    is_delegated: false,
  };
}

/** The fourteenth digit: of the thirteen before it, the first, third, fifth and so on count double. */
function luhnDigit(digits: string): number {
  const sum = [...digits].reduce((total, digit, i) => {
    const value = i % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
