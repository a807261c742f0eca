/**
 * Fields of the proxy configuration that have no effect in the agent.
 *
 * @module
 */
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { ineffectiveTelemetry, type Surroundings } from "./telemetry.ts";

/** Default of an ineffective field; this value causes no warning. */
const STAT_NAME_LENGTH = 189;

/**
 * Returns the fields that the agent does not implement. Fields that the daemon reads from the
 * node's metadata are not included.
 *
 * @param secured true: the agent connects to the daemon with a certificate
 */
export function ineffectiveFields(
  proxy: ProxyConfig,
  secured: boolean,
  surroundings: Surroundings,
): ReadonlyMap<string, string> {
  const ineffective = new Map(ineffectiveTelemetry(proxy, surroundings));
  const add = (set: unknown, field: string, reason: string) =>
    set && ineffective.set(field, reason);
  const old = "it is deprecated and has no effect";
  add(proxy.discoveryRefreshDelay, "discoveryRefreshDelay", old);
  add(proxy.dataproxyMetricsServiceAddress, "dataproxyMetricsServiceAddress", old);
  add(proxy.availabilityZone, "availabilityZone", old);
  add(proxy.sds, "sds", old);
  const length = proxy.statNameLength;
  add(length !== 0 && length !== STAT_NAME_LENGTH, "statNameLength", "the proxy has no such bound");
  const roots = proxy.caCertificatesPem.length > 0 && !secured;
  add(roots, "caCertificatesPem", "the agent serves no certificates without MUTUAL_TLS");
  add(proxy.privateKeyProvider, "privateKeyProvider", "certificates are not supported yet");
  return ineffective;
}

/** Fields of routes and clusters, which proxies share; only the mesh configuration can set them. */
export function ineffectiveOwnFields(own: ProxyConfig | undefined): ReadonlyMap<string, string> {
  const { proxyHeaders: headers, connectionSettings: connections } = own ?? {};
  const said: Readonly<Record<string, unknown>> = {
    "proxyHeaders.attemptCount": headers?.attemptCount,
    "proxyHeaders.xForwardedHost": headers?.xForwardedHost,
    "connectionSettings.clusterPerConnectionBufferLimitBytes": connections
      ?.clusterPerConnectionBufferLimitBytes,
  };
  const reason = "proxies share what it changes; set it in defaultConfig of the mesh configuration";
  return new Map(
    Object.entries(said).filter(([, value]) => value !== undefined).map(([key]) => [key, reason]),
  );
}
