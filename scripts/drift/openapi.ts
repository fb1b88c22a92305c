import { isRecord } from '../../kernel/json.js';
import type { Drift } from './compare.js';
import type { Observation } from './observe.js';

/**
 * Routes that the code calls and that a published OpenAPI document lacks. Names of path parameters are ignored, as is
 * the part of the address before the paths.
 */
export function missingRoutes(document: unknown, { calls }: Observation, rootFields: readonly string[]): Drift[] {
  const paths = isRecord(document) && isRecord(document['paths']) ? document['paths'] : {};
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    isRecord(methods) ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${shapeOf(path)}`) : [],
  );
  return [...calls.keys()].flatMap((call): Drift[] => {
    const [method = '', path = ''] = call.split(' ');
    const shape = shapeOf(path);
    const isKnown = documented.some((route) => {
      const [of = '', at = ''] = route.split(' ');
      return of === method && (shape.endsWith(at) || at.endsWith(shape));
    });
    if (isKnown) return [];
    return [{ kind: 'route', fields: rootFields, message: `the published OpenAPI has no ${call}` }];
  });
}

function shapeOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}|:\w+/g, '{}').replace(/\/+$/, '');
}
