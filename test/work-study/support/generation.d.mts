/** The rows of a generation of an export, all of one SIRET: their identifiers say which one it is. */
export function generation(
  number: number,
): { readonly identifier: { readonly id: string; readonly partner_label: string } }[];
