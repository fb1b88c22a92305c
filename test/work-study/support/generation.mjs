/** The rows of a generation of an export, all of one SIRET: their identifiers say which one it is. */
export const generation = (number) =>
  Array.from({ length: 300 }, (_, row) => ({
    identifier: { id: `${number} ${row}`, partner_label: 'Hellowork' },
    workplace: { name: 'Boulangerie', siret: '73282932000074' },
    offer: { title: `Boulanger ${row}`, description: 'pain '.repeat(row) },
  }));
