import type { ConfigurationReader } from './configuration-reader.js';
import { defaultTraceName, type Role } from './role.js';

/** Where traces are sent. */
export interface TracesConfiguration {
  readonly endpoint: string;
  readonly serviceName: string;
  /** Share of the traces that are sent, from 0 to 1. */
  readonly ratio: number;
}

/** `name=value`, any number of them, as the exporter reads them itself. */
const HEADERS = /^\s*[^\s=,]+\s*=[^,]*(,\s*[^\s=,]+\s*=[^,]*)*,?\s*$/;

/** Null where none are sent. */
export function readOtlp(read: ConfigurationReader, role: Role): TracesConfiguration | null {
  const endpoint = read.address('OTEL_EXPORTER_OTLP_ENDPOINT');
  const headers = read.text('OTEL_EXPORTER_OTLP_HEADERS');
  if (headers !== null && !HEADERS.test(headers)) {
    read.mistake('OTEL_EXPORTER_OTLP_HEADERS must be name=value, with commas between several');
  }
  const ratio = Number(read.text('OTEL_TRACES_SAMPLER_ARG') ?? 1);
  if (!(ratio >= 0 && ratio <= 1)) read.mistake('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  if (endpoint === null) return null;
  return { endpoint, serviceName: read.text('OTEL_SERVICE_NAME') ?? defaultTraceName(role), ratio };
}
