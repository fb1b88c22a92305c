/**
 * Looks organizations up by their codes. The service finds a legal unit by its SIREN at once, with all its SIRETs, but
 * reads the whole register for a SIRET, and most employers are not in it (volunteering 4.4). So the SIRETs of a unit
 * share a look-up by SIREN, and only for those of units that it does not know is the register **scanned**.
 */

import { ready } from '../../../kernel/cached-values.js';
import type { OperationContext } from '../../../kernel/operation.js';
import {
  createBatchLoader,
  createPendingLookUps,
  createSingleLoader,
  type Load,
  type PendingLookUps,
} from '../../graph/loader.js';
import type { Upstream } from '../../rest/upstream.js';
import { createSeenRows, isView, type Row, type SeenRows } from '../values/lists.js';
import { type OrganizationList, requestByCodes, requestBySiren } from './client.js';
import { exactRecord, type OrganizationCodes } from './codes.js';
import type { OrganizationView } from './shapes.js';

/** Most scans of one request, one at a time; if it takes more, none is made. */
export const MAX_SCANS = 10;

/** In place of an organization: nobody has looked whether the register has it. */
const NOT_LOOKED_UP = Symbol('not looked up');

type LookedUp = OrganizationView | null | typeof NOT_LOOKED_UP;

/** What this process has seen of the service. */
export interface Register {
  /** Whether it finds a SIREN: not in the eras whose lists say how many rows there are. Null before the first list. */
  findsSiren: boolean | null;
}

/** Organizations for one request, already loaded or to be loaded. */
export interface OrganizationLoaders {
  /** For joins, of which one request may have hundreds: null too for what is left out. */
  readonly organizationByCodes: Load<OrganizationCodes, OrganizationView | null>;
  /** Whether that is so of a look-up that begins in the same turn; false without one. Outside cached runs. */
  isLeftOut(codes: OrganizationCodes): Promise<boolean>;
  /** Makes a scan if it takes one. */
  organizationAlone(codes: OrganizationCodes, operation: OperationContext): PromiseLike<OrganizationView | null>;
  readonly seenOrganizations: SeenRows<OrganizationView>;
}

/** The loaders of one request: one call for each unit, or distinct pair of codes. `noteLookUp` is told of each. */
export function createOrganizationLoaders(
  upstream: Upstream,
  register: Register,
  noteLookUp: <T>(lookUp: PromiseLike<T>) => PromiseLike<T>,
): OrganizationLoaders {
  const seenOrganizations = createSeenRows<OrganizationView>();
  const beforeScans = createPendingLookUps();
  const unitOf = createUnitLoader(upstream, register);
  const joins = new Map<string, PromiseLike<LookedUp>>();

  const readByCodes: Load<OrganizationCodes, OrganizationView | null> = (codes, operation) =>
    upstream.read(requestByCodes(codes), operation).then((found) => {
      register.findsSiren = found?.isCounted === false;
      return found?.organization ?? null;
    });
  const scanFew = createFewScans(readByCodes, beforeScans);

  /** What is remembered of a scan takes none. */
  const scanUnlessMany: Load<OrganizationCodes, LookedUp> = (codes, operation) => {
    const isThere = upstream.recall(requestByCodes(codes), operation)?.isFresh === true;
    if (isThere || operation.cachedRun !== undefined) return readByCodes(codes, operation);
    return scanFew(codes.siret ?? '', operation);
  };

  /** By SIREN; what that does not find, by `scan`. */
  function lookUp<T extends LookedUp>(
    codes: OrganizationCodes,
    operation: OperationContext,
    scan: Load<OrganizationCodes, T>,
  ) {
    const { siret, rna } = codes;
    if (siret === null || rna !== null) return noted(beforeScans.note(readByCodes(codes, operation)));
    const siren = siret.slice(0, 9);
    const unit = beforeScans.note(unitOf(siren, operation));
    return noted(
      unit.then((list): OrganizationView | null | PromiseLike<OrganizationView | null | T> => {
        if (list === null) return readByCodes(codes, operation);
        const found = exactRecord(list.rows, codes);
        return found === null && !list.rows.some((row) => listsSirets(row, siren)) ? scan(codes, operation) : found;
      }),
    );
  }

  function noted<T extends LookedUp>(lookedUp: PromiseLike<T>): PromiseLike<T> {
    const seen = lookedUp.then((found) => {
      if (found !== NOT_LOOKED_UP) seenOrganizations.add([found as OrganizationView | null]);
      return found;
    });
    return noteLookUp(seen);
  }

  const forJoins = createSingleLoader<OrganizationCodes, LookedUp>(
    (codes, operation) => lookUp(codes, operation, scanUnlessMany),
    keyOf,
  );
  return {
    seenOrganizations,
    organizationByCodes(codes, operation) {
      const join = forJoins(codes, operation);
      joins.set(keyOf(codes), join);
      return join.then((found) => (found === NOT_LOOKED_UP ? null : found));
    },
    async isLeftOut(codes) {
      await null;
      // The field beside reports a failure.
      return (await joins.get(keyOf(codes))?.then(undefined, () => null)) === NOT_LOOKED_UP;
    },
    organizationAlone: (codes, operation) => lookUp(codes, operation, readByCodes),
  };
}

function keyOf({ siret, rna }: OrganizationCodes): string {
  return `${siret ?? ''} ${rna ?? ''}`;
}

/** Loads the records of a legal unit by SIREN; null in an era that knows no SIREN. */
function createUnitLoader(upstream: Upstream, register: Register): Load<string, OrganizationList | null> {
  let first: PromiseLike<OrganizationList | null> | null = null;
  return createSingleLoader((siren, operation) => {
    const read = (): PromiseLike<OrganizationList | null> =>
      register.findsSiren === false
        ? ready(null)
        : upstream.read(requestBySiren(siren), operation).then((unit) => {
            register.findsSiren = unit?.total === null;
            return register.findsSiren ? unit : null;
          });
    if (register.findsSiren !== null || operation.cachedRun !== undefined) return read();
    // The others wait to see whether SIRENs are found.
    if (first !== null) return first.then(read, read);
    first = read();
    return first;
  });
}

/** Scans for the SIRETs that a request has left once all are known: one after the other, or for none of many. */
function createFewScans(
  scan: Load<OrganizationCodes, OrganizationView | null>,
  lookUps: PendingLookUps,
): Load<string, LookedUp> {
  let left = 0;
  return createBatchLoader<LookedUp>({
    maximum: Number.POSITIVE_INFINITY,
    lookUps,
    async load(sirets, operation) {
      left += sirets.length;
      if (left > MAX_SCANS) {
        operation.recorder.forbidCaching();
        return sirets.map((): LookedUp => NOT_LOOKED_UP);
      }
      const found: (LookedUp | Error)[] = [];
      for (const siret of sirets) {
        found.push(await scan({ siret, rna: null }, operation).then(undefined, (error: Error) => error));
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
