/**
 * Looks organizations up by their codes. The service finds a legal unit by its SIREN at once, with all its SIRETs, but
 * reads the whole register for a SIRET, and most employers are not in it (volunteering 4.4). So the SIRETs of a unit
 * share a look-up by SIREN, and only for those of units that it does not know is the register **scanned**.
 */

import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import type { OperationContext } from '../../../kernel/operation.js';
import {
  createBatchLoader,
  createPendingLookUps,
  createSingleLoader,
  type Load,
  type PendingLookUps,
} from '../../graph/loader.js';
import type { Upstream } from '../../rest/upstream.js';
import { createSeenRows, isView, type Row } from '../values/lists.js';
import { type OrganizationList, requestByCodes, requestBySiren } from './client.js';
import { exactRecord, type OrganizationCodes } from './codes.js';
import type { OrganizationView } from './shapes.js';

/** Most scans of one request, one at a time; if it takes more, none is made. */
export const MAX_SCANS = 10;

/** Undefined in place of an organization: nobody has looked whether the register has it. */
type LookedUp = OrganizationView | null | undefined;

/** What this process has seen of the service: its lists say how many rows there are in the era that knows no SIREN. */
export interface SeenEra {
  /** Milliseconds since 1970 until which no SIREN is looked up again. */
  noSirenUntilMs: number;
}

/** How long an era is taken for granted. */
const ERA_MS = 10 * 60_000;

/** Organizations for one request, already loaded or to be loaded. */
export type OrganizationLoaders = ReturnType<typeof createOrganizationLoaders>;

/** The loaders of one request: one call for each unit, or distinct pair of codes. `noteLookUp` is told of each. */
export function createOrganizationLoaders(
  upstream: Upstream,
  era: SeenEra,
  noteLookUp: <T>(lookUp: Awaitable<T>) => Awaitable<T>,
) {
  const seenOrganizations = createSeenRows<OrganizationView>();
  const beforeScans = createPendingLookUps();
  const joins = new Map<string, Awaitable<LookedUp>>();
  const readByCodes: Load<OrganizationCodes, LookedUp> = (codes, operation) =>
    upstream.read(requestByCodes(codes), operation);
  const unitOf: Load<string, OrganizationList | null> = createSingleLoader((siren, operation) =>
    upstream.read(requestBySiren(siren), operation),
  );
  const scanFew = createFewScans(readByCodes, beforeScans);

  /** What is remembered of a scan takes none. */
  const scanUnlessMany: Load<OrganizationCodes, LookedUp> = (codes, operation) => {
    const isThere = upstream.recall(requestByCodes(codes), operation)?.isFresh === true;
    return isThere ? readByCodes(codes, operation) : scanFew(codes.siret ?? '', operation);
  };

  /** By SIREN; what that does not find, by `scan`. */
  function lookUp(codes: OrganizationCodes, operation: OperationContext, scan: typeof readByCodes) {
    const siren = codes.siret?.slice(0, 9) ?? '';
    if (siren === '' || codes.rna !== null || Date.now() < era.noSirenUntilMs)
      return noted(beforeScans.note(readByCodes(codes, operation)));
    return noted(
      whenThere(beforeScans.note(unitOf(siren, operation)), (unit): LookedUp | Awaitable<LookedUp> => {
        const { rows, total } = unit ?? { rows: [], total: null };
        if (total !== null) era.noSirenUntilMs = Date.now() + ERA_MS;
        const found = exactRecord(rows, codes);
        if (found !== null || rows.some((row) => listsSirets(row, siren))) return found;
        return (total === null ? scan : readByCodes)(codes, operation);
      }),
    );
  }

  function noted(lookedUp: Awaitable<LookedUp>): Awaitable<LookedUp> {
    return noteLookUp(
      whenThere(lookedUp, (found) => {
        seenOrganizations.add([found ?? null]);
        return found;
      }),
    );
  }

  const forJoins = createSingleLoader<OrganizationCodes, LookedUp>(
    (codes, operation) => lookUp(codes, operation, scanUnlessMany),
    keyOf,
    joins,
  );
  return {
    seenOrganizations,
    /** For joins, of which one request may have hundreds: null too for what is left out. */
    organizationByCodes(codes: OrganizationCodes, operation: OperationContext): Awaitable<OrganizationView | null> {
      return whenThere(forJoins(codes, operation), orNothing);
    },
    /** Why that is so of a look-up that begins in the same turn; null if it is not, and without one. */
    async unknownBecause(codes: OrganizationCodes): Promise<'TOO_MANY' | null> {
      await null;
      const join = joins.has(keyOf(codes)) ? joins.get(keyOf(codes)) : null;
      // The field beside reports a failure.
      return (await Promise.resolve(join).catch(() => null)) === undefined ? 'TOO_MANY' : null;
    },
    /** Makes a scan if it takes one. */
    organizationAlone: (codes: OrganizationCodes, operation: OperationContext): Awaitable<OrganizationView | null> =>
      whenThere(lookUp(codes, operation, readByCodes), orNothing),
  };
}

function orNothing(found: LookedUp): OrganizationView | null {
  return found ?? null;
}

function keyOf({ siret, rna }: OrganizationCodes): string {
  return `${siret ?? ''} ${rna ?? ''}`;
}

/** Scans for the SIRETs that a request has left once all are known: one after the other, or for none of many. */
function createFewScans(scan: Load<OrganizationCodes, LookedUp>, lookUps: PendingLookUps): Load<string, LookedUp> {
  let left = 0;
  return createBatchLoader<LookedUp>({
    maximum: Number.POSITIVE_INFINITY,
    lookUps,
    async load(sirets, operation) {
      left += sirets.length;
      if (left > MAX_SCANS) {
        operation.recorder.forbidCaching();
        return sirets.map((): LookedUp => undefined);
      }
      const found: (LookedUp | Error)[] = [];
      for (const siret of sirets) {
        found.push(await Promise.resolve(scan({ siret, rna: null }, operation)).catch((error: Error) => error));
      }
      return found;
    },
  });
}

/** Whether a record lists SIRETs of the unit: then it lists all of them. */
function listsSirets(row: Row<OrganizationView>, siren: string): boolean {
  if (!isView(row)) return false;
  return [row.siret, ...(row.sirets ?? [])].some((code) => typeof code === 'string' && code.startsWith(siren));
}
