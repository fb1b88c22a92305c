import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';

/** A service's name in its colour. */
export function ServiceName({ name }: { name: string }) {
  const known = SERVICES.find((service) => service === name);
  const background = known === undefined ? undefined : SERVICE_ENTRIES[known].colour;
  return (
    <span className="pa-service" style={{ background }}>
      {name}
    </span>
  );
}
