import { isIP } from 'node:net';

const LINK = /^(tcp|udp|sctp):\/\/\S+:\d+$/;
const NUMBER = /^\d+$/;
const PROTOCOL = /^(tcp|udp|sctp)$/;
/** The longest first, as each ends like another. */
const FORMS: readonly (readonly [RegExp, (value: string) => boolean])[] = [
  [/_PORT_\d+_(TCP|UDP|SCTP)$/, (value) => LINK.test(value)],
  [/_PORT_\d+_(TCP|UDP|SCTP)_PROTO$/, (value) => PROTOCOL.test(value)],
  [/_PORT_\d+_(TCP|UDP|SCTP)_PORT$/, (value) => NUMBER.test(value)],
  [/_PORT_\d+_(TCP|UDP|SCTP)_ADDR$/, (value) => isIP(value) > 0],
  [/_SERVICE_HOST$/, (value) => isIP(value) > 0],
  [/_SERVICE_PORT(_\w+)?$/, (value) => NUMBER.test(value)],
  [/_PORT$/, (value) => LINK.test(value)],
];

/**
 * Whether a variable is one of those that Kubernetes makes of each service of a namespace unless a pod has
 * `enableServiceLinks: false`: both its name and its value have the form of one.
 */
export function isServiceLink(name: string, value = ''): boolean {
  const form = FORMS.find(([ending]) => ending.test(name));
  return form?.[1](value) ?? false;
}
