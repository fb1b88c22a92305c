/** A service's name in its colour. */
export function ServiceName({ name }: { name: string }) {
  return <span className={`pa-service pa-service-${name}`}>{name}</span>;
}
