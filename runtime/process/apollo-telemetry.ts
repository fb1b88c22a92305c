/**
 * Keeps @apollo/gateway from phoning home: from the moment a gateway is constructed, it sends metrics to its vendor and
 * queries the cloud's metadata service for our identity. Call this before that.
 */
export function disableApolloTelemetry(): void {
  // biome-ignore lint/style/noProcessEnv: the library's only switch is this variable.
  process.env['APOLLO_TELEMETRY_DISABLED'] = '1';
}
