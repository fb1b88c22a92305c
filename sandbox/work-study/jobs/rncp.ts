import type { World } from '../../world/types.js';
import { listAt, textAt, valueAt } from '../values/fields.js';

/**
 * ROME codes of an active RNCP record, or of its active successor (work-study 7.1).
 * @returns undefined if neither exists
 */
export function romesOfRncp(world: World, rncp: string): string[] | undefined {
  const ofCode = (code: string) => world.certifications.filter((one) => textAt(one, 'identifiant', 'rncp') === code);
  const records = ofCode(rncp);
  const isActive = (one: unknown): boolean => valueAt(one, 'periode_validite', 'rncp', 'actif') === true;
  const successors = records
    .flatMap((one) => listAt(one, 'continuite', 'rncp'))
    .filter((entry) => valueAt(entry, 'actif') === true)
    .flatMap((entry) => ofCode(textAt(entry, 'code') ?? ''));
  const active = records.filter(isActive);
  const used = active.length > 0 ? active : successors.filter(isActive);
  if (used.length === 0) return undefined;
  const codes = used.flatMap((one) => listAt(one, 'domaines', 'rome', 'rncp')).map((rome) => textAt(rome, 'code'));
  return [...new Set(codes.filter((code) => code !== null))];
}
