/**
 * Keeps @apollo/gateway from phoning home: it sends metrics to its vendor, and queries the cloud's metadata service for who we
 * are, from the moment that a gateway is constructed. Call it before that.
 */
export function disableApolloTelemetry(): void {
  // biome-ignore lint/style/noProcessEnv: the library's only switch is this variable.
  process.env['APOLLO_TELEMETRY_DISABLED'] = '1';
}
