import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import { language } from '../state/language.js';

/** What a service is called: in French by what it is for, in English by its name in the graph. */
export function labelOfService(name: string): string {
  const known = SERVICES.find((service) => service === name);
  return known === undefined || language.get() === 'en' ? name : SERVICE_ENTRIES[known].label;
}
