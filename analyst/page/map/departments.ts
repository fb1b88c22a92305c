import DEPARTMENTS from '@etalab/decoupage-administratif/data/departements.json' with { type: 'json' };
import { fold } from '../../../kernel/fold.js';
import type { Cell } from '../../../rows/cells.js';

const CODES = new Set(DEPARTMENTS.map(({ code }) => code));
const CODES_BY_NAME = new Map(DEPARTMENTS.map(({ code, nom }) => [plain(nom), code]));

/** The official list has the overseas collectivities too, which the map does not draw. */
const DRAWN = new Set(DEPARTMENTS.filter(({ zone }) => zone !== 'com').map(({ code }) => code));

/** Whether the map of France draws the département of a code. */
export function isDrawn(code: string): boolean {
  return DRAWN.has(code);
}

/**
 * The official code of the département that a cell names; null if it names none. A code counts only in a column that is
 * named after départements, or `key`; elsewhere, two digits may mean anything.
 */
export function departmentOf(cell: Cell, column: string): string | null {
  if (typeof cell !== 'string') return null;
  const byName = CODES_BY_NAME.get(plain(cell));
  if (byName !== undefined) return byName;
  const code = cell.toUpperCase();
  return CODES.has(code) && /dep|^key$/i.test(fold(column)) ? code : null;
}

function plain(name: string): string {
  return fold(name)
    .replace(/\bst\b/g, 'saint')
    .replace(/[^a-z]/g, '');
}
