import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callOf, queryOf } from '../../server/call.js';
import { keyedRoute, takesAnything } from '../http/route.js';
import type { ExportFile } from './export-file.js';

const STORAGE_PATH = '/storage/exports/offers.json';
/** Validity of a link, in seconds (work-study 12.2.10, 12.8.3). */
const LINK_SECONDS = 120;

/** The daily export: its link, and the file store that the link leads to, on the same host here (work-study 7.6). */
export function exportRoutes(app: FastifyInstance, file: ExportFile): void {
  keyedRoute(app, {
    method: 'GET',
    path: '/job/v1/export',
    read: takesAnything,
    handle: (_, { host, now }) => ({ url: signedLink(host, now), lastUpdate: file.lastUpdate(now) }),
  });
  app.get(STORAGE_PATH, (request, reply) => download(file, request, reply));
}

/** An address in the form of a signed S3 link, which needs no key and accepts none. */
function signedLink(host: string, now: number): string {
  const date = amzDate(now);
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
    'X-Amz-Credential': `sandbox/${date.slice(0, 8)}/gra/s3/aws4_request`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(LINK_SECONDS),
    'X-Amz-Signature': signature(date),
    'X-Amz-SignedHeaders': 'host',
  });
  return `http://${host}${STORAGE_PATH}?${query}`;
}

function download(file: ExportFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.authorization !== undefined) {
    return refuse(reply, 400, 'InvalidArgument', 'Only one auth mechanism allowed');
  }
  const { now } = callOf(request);
  const query = queryOf(request);
  const date = String(query['X-Amz-Date']);
  if (query['X-Amz-Signature'] !== signature(date)) {
    return refuse(reply, 403, 'SignatureDoesNotMatch', 'The request signature does not match');
  }
  if (now >= timeOf(date) + LINK_SECONDS * 1000) {
    return refuse(reply, 403, 'AccessDenied', 'Request has expired');
  }
  reply.headers({
    'content-type': 'application/json',
    'cache-control': 'no-cache, no-store, must-revalidate',
    'last-modified': new Date(file.lastUpdate(now)).toUTCString(),
  });
  return reply.send(Readable.from(file.pieces(now), { objectMode: false }));
}

function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return reply.code(status).type('application/xml').send(xml);
}

function signature(date: string): string {
  return createHmac('sha256', 'sandbox-export').update(date).digest('hex');
}

/** `20260901T080000Z`: signed links have a precision of seconds. */
function amzDate(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
}

function timeOf(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}
