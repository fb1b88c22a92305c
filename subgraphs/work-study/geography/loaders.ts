import { ready } from '../../../kernel/cached-values.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import { type Origin, wrongType } from '../../rest/shape.js';
import type { Upstream } from '../../rest/upstream.js';
import { readableItems } from '../values/lists.js';
import {
  type CommuneLookUp,
  type CommuneRequests,
  type CommunesRequest,
  type FoundCommunes,
  readCommunes,
} from './client.js';
import { type CommuneView, inseeOf, quietly } from './shapes.js';

/**
 * Communes for one request, already loaded or to be loaded. Codes that are looked up by the same digits share a call.
 * A class, because every request with a commune creates it: an object of closures takes more time and memory.
 */
export class GeographyLoaders {
  readonly #requests: CommuneRequests;
  readonly #origin: Origin;
  readonly #communes: Load<CommunesRequest, FoundCommunes>;

  constructor(upstream: Upstream, requests: CommuneRequests) {
    this.#requests = requests;
    this.#origin = upstream.origin;
    this.#communes = createSingleLoader((request, operation) => readCommunes(upstream, request, operation), identityOf);
  }

  /** The communes that the source finds for five digits. */
  communes(digits: string, operation: OperationContext): PromiseLike<(CommuneView | null)[]> {
    return this.#communes(this.#requests.ofDigits(digits), operation).then(({ list }) => list);
  }

  /** The current commune of an INSEE code, which may be former or an arrondissement's; null when there is none. */
  commune(code: string, operation: OperationContext): PromiseLike<CommuneView | null> {
    const lookUp = this.#requests.ofInsee(code);
    if (lookUp === null) return ready(null);
    return this.#communes(lookUp, operation).then((found) => communeAmong(found, lookUp, this.#origin));
  }
}

function identityOf({ identity }: CommunesRequest): string {
  return identity;
}

function communeAmong(found: FoundCommunes, lookUp: CommuneLookUp, origin: Origin): CommuneView | null {
  if (found.lookUp === lookUp) return found.commune;
  const { code, current } = lookUp;
  const list = readableItems(found.list);
  const commune = list.find((one) => inseeOf(one) === current) ?? list.find((one) => hadCode(one, code)) ?? null;
  // The row looked for may be one that cannot be read.
  if (commune === null && found.list.some((one) => inseeOf(one) === null)) {
    throw wrongType('a list with INSEE codes', 'Commune[]', origin);
  }
  found.commune = commune;
  found.lookUp = lookUp;
  return found.commune;
}

/** Whether the source says that the code was part of the commune: it may know mergers newer than our list. */
function hadCode(commune: CommuneView, code: string): boolean {
  return (
    quietly(() => commune.arrondissements?.some((part) => part?.code === code)) === true ||
    quietly(() => commune.anciennes?.some((part) => part?.codeInsee === code)) === true
  );
}
