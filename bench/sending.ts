import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import type { LoadRequest } from './servers/load.js';
import type { Variant } from './variants.js';
import { CURSORS_QUERY, type Operation, type Workload } from './workloads.js';

const COMPLETE_TRIES = 150;
const COMPLETE_PAUSE_MS = 200;

/** The request for a query, in the form that a variant takes. */
export function requestOf(
  variant: Variant,
  { query, variables, path }: Operation,
  { encoding }: Workload,
): LoadRequest {
  return variant.speaks === 'REST'
    ? { path, encoding }
    : { path: '/graphql', body: JSON.stringify({ query, variables }), encoding };
}

/** The bytes of one response, decompressed. Throws unless its status is 200. */
async function bytesOf(variant: Variant, { path, body, encoding }: LoadRequest): Promise<Buffer> {
  const response = await request(`${variant.servers[0].url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(encoding !== '' && { 'accept-encoding': encoding }),
    },
    ...(body !== undefined && { body }),
  });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  if (response.statusCode !== 200) throw new Error(`${variant.name} answered ${response.statusCode}: ${bytes}`);
  const sent = String(response.headers['content-encoding'] ?? '');
  return sent === 'gzip' ? gunzipSync(bytes) : sent === 'br' ? brotliDecompressSync(bytes) : bytes;
}

/** The cursors of the first missions, which every GraphQL variant accepts, as all have the same subgraphs. */
export async function readCursors(variant: Variant): Promise<string[]> {
  const { missions } = await graphql(variant, CURSORS_QUERY);
  return missions.edges.map(({ cursor }: { cursor: string }) => cursor);
}

/** Resolves when a variant has loaded the daily export, without which its responses differ from the others'. */
export async function untilComplete(variant: Variant): Promise<void> {
  if (variant.speaks === 'REST') return;
  for (let tries = 0; tries < COMPLETE_TRIES; tries++) {
    const { missions } = await graphql(
      variant,
      '{ missions(first: 20) { nodes { organization { workplacesComplete } } } }',
    );
    if (!JSON.stringify(missions).includes('false')) return;
    await pause(COMPLETE_PAUSE_MS);
  }
  throw new Error(`${variant.name} has not loaded the export.`);
}

// biome-ignore lint/suspicious/noExplicitAny: of whatever was requested
async function graphql(variant: Variant, query: string): Promise<any> {
  const request = { path: '/graphql', body: JSON.stringify({ query }), encoding: '' };
  return JSON.parse((await bytesOf(variant, request)).toString()).data;
}

/** The data of one response as text. Throws if it has errors. */
export async function dataOf(variant: Variant, operation: Operation, workload: Workload): Promise<string> {
  const bytes = await bytesOf(variant, requestOf(variant, operation, workload));
  const { data, errors } = JSON.parse(bytes.toString()) as { data: unknown; errors?: unknown };
  if (errors !== undefined) throw new Error(`${variant.name} answered with errors: ${JSON.stringify(errors)}`);
  return JSON.stringify(data);
}

/** Sends every variant every query of a workload once. Throws if two of them respond differently. */
export async function checkResponses(variants: readonly Variant[], workload: Workload): Promise<void> {
  for (const operation of workload.operations) {
    const responses = await Promise.all(variants.map((variant) => dataOf(variant, operation, workload)));
    for (const [index, one] of responses.entries()) {
      const difference = firstDifference(responses[0] ?? '', one);
      if (difference === null) continue;
      throw new Error(`${workload.name}: ${variants[0]?.name} and ${variants[index]?.name} differ, ${difference}`);
    }
  }
}

/** Where two texts first differ; null if they are equal. */
function firstDifference(one: string, other: string): string | null {
  if (one === other) return null;
  let at = 0;
  while (one[at] === other[at]) at++;
  const [here, there] = [one, other].map((text) => text.slice(Math.max(0, at - 100), at + 100));
  return `at ${at}:\n${here}\n${there}`;
}
