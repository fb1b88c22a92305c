import type { OperationContext } from '../../../kernel/operation.js';
import { ready } from '../../../kernel/ready.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import { type Origin, wrongType } from '../../rest/shape.js';
import { readableItems } from '../values/lists.js';
import type { Circle } from './circle.js';
import type { CommuneLookUp, CommunesRequest, FoundCommunes, GeographyClient } from './client.js';
import { type CommuneView, type DepartementView, inseeOf, type MissionLocaleView, quietly } from './shapes.js';

/** Geography for one request, already loaded or to be loaded. */
export interface GeographyLoaders {
  /** The communes that the source finds for five digits. */
  communes(digits: string, operation: OperationContext): PromiseLike<(CommuneView | null)[]>;
  /** The current commune of an INSEE code, which may be former or an arrondissement's; null when there is none. */
  commune(code: string, operation: OperationContext): PromiseLike<CommuneView | null>;
  departements(operation: OperationContext): PromiseLike<(DepartementView | null)[]>;
  missionsLocales(around: Circle | null, operation: OperationContext): PromiseLike<(MissionLocaleView | null)[]>;
}

/** Loaders of geography for one request. Codes that are looked up by the same digits share a call. */
export function createGeographyLoaders(client: GeographyClient): GeographyLoaders {
  return new RequestGeography(client);
}

/** A class, because every request with a commune creates it: an object of closures takes more time and memory. */
class RequestGeography implements GeographyLoaders {
  readonly #client: GeographyClient;
  readonly #communes: Load<CommunesRequest, FoundCommunes>;

  constructor(client: GeographyClient) {
    this.#client = client;
    this.#communes = createSingleLoader(client.communes, identityOf);
  }

  communes(digits: string, operation: OperationContext) {
    return this.#communes(this.#client.communeRequests.ofDigits(digits), operation).then(({ list }) => list);
  }

  commune(code: string, operation: OperationContext) {
    const { communeRequests, origin } = this.#client;
    const lookUp = communeRequests.ofInsee(code);
    if (lookUp === null) return ready(null);
    return this.#communes(lookUp, operation).then((found) => communeAmong(found, lookUp, origin));
  }

  departements(operation: OperationContext) {
    return this.#client.departements(operation);
  }

  missionsLocales(around: Circle | null, operation: OperationContext) {
    return this.#client.missionsLocales(around, operation);
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
