import { SERVICE_ENTRIES, SERVICES, type ServiceEntry } from '../../../kernel/services.js';
import { language } from '../state/language.js';

/** What a service is called: in French by what it is for, in English by its name in the graph. */
export function labelOfService(name: string): string {
  const known = SERVICES.find((service) => service === name);
  if (known === undefined || language.get() === 'en') return name;
  const { credential, label = name }: ServiceEntry = SERVICE_ENTRIES[known];
  const french = credential.kind === 'key' ? label : credential.platform.fr;
  return french.charAt(0).toUpperCase() + french.slice(1);
}
