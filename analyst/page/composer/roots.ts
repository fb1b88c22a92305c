import { SERVICES, type ServiceName } from '../../../kernel/services.js';
import roots from './roots.json' with { type: 'json' };

/** What a query may begin with: its names, and its description in French, as the schema has the English one. */
interface Root {
  readonly service: ServiceName;
  readonly fr: string;
  readonly en: string;
  readonly aboutFr: string;
}

/** By service, in the order in which it is offered. */
const OF_SERVICES: Readonly<Record<ServiceName, Readonly<Record<string, Omit<Root, 'service'>>>>> = roots;

/** What queries may begin with, by name. */
export const ROOTS: Readonly<Record<string, Root>> = Object.fromEntries(
  SERVICES.flatMap((service) =>
    Object.entries(OF_SERVICES[service]).map(([name, named]) => [name, { service, ...named }]),
  ),
);
