import { createHmac } from 'node:crypto';
import { jsonReply, type Reply, textReply } from '../../server/reply.js';
import type { Route, ServiceRequest } from '../../server/routes.js';
import { keyedRoute, takesAnything } from '../http/route.js';
import type { ExportFile } from './export-file.js';

const STORAGE_PATH = '/storage/exports/offers.json';
/** Validity of a link, in seconds (work-study 12.2.10, 12.8.3). */
const LINK_SECONDS = 120;

/** The daily export: its link, and the file store that the link leads to, on the same host here (work-study 7.6). */
export function exportRoutes(file: ExportFile): Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/job/v1/export',
      read: takesAnything,
      handle: (_, request) => jsonReply(200, { url: signedLink(request), lastUpdate: file.lastUpdate(request.now) }),
    }),
    { method: 'GET', path: STORAGE_PATH, handle: (request) => download(file, request) },
  ];
}

/** An address in the form of a signed S3 link, which needs no key and accepts none. */
function signedLink({ headers, now }: ServiceRequest): string {
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
  return `http://${headers.host}${STORAGE_PATH}?${query}`;
}

function download(file: ExportFile, { query, headers, now }: ServiceRequest): Reply {
  if (headers.authorization !== undefined) {
    return refusal(400, 'InvalidArgument', 'Only one auth mechanism allowed');
  }
  const date = query.get('X-Amz-Date') ?? '';
  if (query.get('X-Amz-Signature') !== signature(date)) {
    return refusal(403, 'SignatureDoesNotMatch', 'The request signature does not match');
  }
  if (now >= timeOf(date) + LINK_SECONDS * 1000) return refusal(403, 'AccessDenied', 'Request has expired');
  return {
    status: 200,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-cache, no-store, must-revalidate',
      'last-modified': new Date(file.lastUpdate(now)).toUTCString(),
    },
    body: file.pieces(now),
    compress: false,
  };
}

function refusal(status: number, code: string, message: string): Reply {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return textReply(status, xml, 'application/xml');
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
