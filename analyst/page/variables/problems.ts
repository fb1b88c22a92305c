import type { Declaration } from './declarations.js';

/** What is wrong with the value of a variable, by the name of its message. */
export type Problem = 'required' | 'number' | 'integer' | 'negative' | 'choice' | 'date' | 'code';

/** How codes are written; the gateway also checks what only a register knows. */
const CODES: Readonly<Record<string, RegExp>> = {
  INSEECode: /^(\d{5}|2[AB]\d{3})$/,
  PostalCode: /^\d{5}$/,
  ROMECode: /^[A-Z]\d{4}$/,
  RNCPCode: /^RNCP\d{3,5}$/,
  CFDCode: /^[A-Z0-9]{8}$/,
  SIRET: /^\d{14}$/,
  SIREN: /^\d{9}$/,
  RNA: /^W[A-Z0-9]{9}$/,
};

const DEPARTEMENT = /^(\d{2}|2[AB]|9[78]\d)$/;
const DATE = /^\d{4}-\d{2}-\d{2}(T.+)?$/;

/** What is wrong with a value, to be shown before the query is sent; null if nothing is. */
export function problemOf(declaration: Declaration, value: unknown): Problem | null {
  if (value === undefined || value === null) return declaration.isRequired ? 'required' : null;
  if (declaration.kind === 'json') return null;
  if (declaration.kind === 'dateRange') return rangeProblem(value);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const item of items) {
    const problem = itemProblem(declaration, item);
    if (problem !== null) return problem;
  }
  return null;
}

function itemProblem({ kind, scalar, choices }: Declaration, item: unknown): Problem | null {
  switch (kind) {
    case 'integer':
      return Number.isInteger(item) ? null : 'integer';
    case 'decimal':
      return typeof item === 'number' ? null : 'number';
    case 'kilometres':
      return typeof item !== 'number' ? 'number' : item < 0 ? 'negative' : null;
    case 'choice':
      return choices.some((choice) => choice === item) ? null : 'choice';
    case 'flag':
      return typeof item === 'boolean' ? null : 'choice';
    case 'date':
      return typeof item === 'string' && DATE.test(item) ? null : 'date';
    case 'departement':
      return typeof item === 'string' && DEPARTEMENT.test(item) ? null : 'code';
    default:
      return (CODES[scalar] ?? /^/).test(String(item)) ? null : 'code';
  }
}

function rangeProblem(value: unknown): Problem | null {
  const ends: readonly unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [value];
  return ends.every((end) => typeof end === 'string' && DATE.test(end)) ? null : 'date';
}

/** A code as the graph writes it: `rncp 39908` and `39908` become RNCP39908 if such a code is expected. */
export function normalizeCode(scalar: string, text: string): string {
  const code = text.replaceAll(/\s+/g, '').toUpperCase();
  if (scalar === 'RNCPCode' && /^\d{3,5}$/.test(code)) return `RNCP${code}`;
  return scalar in CODES ? code : text.trim();
}
