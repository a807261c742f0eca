/**
 * Random traffic policies.
 *
 * @module
 */
import fc from "fast-check";
import type { Spec } from "../../support/manifest.ts";

/** The same arbitraries; to be spread into a record whose `requiredKeys` leave them out. */
export function optional<T>(fields: T): T {
  return fields;
}

const some = { requiredKeys: [] };
const duration = fc.constantFrom("0.5s", "1s", "90s");

const loadBalancer: fc.Arbitrary<Spec> = fc.oneof(
  fc.record({
    simple: fc.constantFrom("ROUND_ROBIN", "RANDOM", "LEAST_REQUEST", "PASSTHROUGH", "UNSPECIFIED"),
  }),
  fc.record({
    consistentHash: fc.constantFrom<Spec>(
      { httpHeaderName: "x-user" },
      { useSourceIp: true },
      { httpQueryParameterName: "q", maglev: { tableSize: 65537 } },
      { httpCookie: { name: "c", ttl: "0s" }, ringHash: { minimumRingSize: 64 } },
      { httpCookie: { name: "c", path: "/", ttl: "5s" } },
    ),
  }),
);

const connectionPool: fc.Arbitrary<Spec> = fc.record({
  tcp: fc.record({
    maxConnections: fc.constantFrom(1, 100),
    connectTimeout: duration,
    tcpKeepalive: fc.constantFrom<Spec>({}, { time: "7200s", interval: "75s", probes: 3 }),
    maxConnectionDuration: duration,
    idleTimeout: duration,
  }, some),
  http: fc.record({
    http1MaxPendingRequests: fc.constantFrom(1, 1024),
    http2MaxRequests: fc.constantFrom(1, 1024),
    maxRequestsPerConnection: fc.constantFrom(0, 1, 10),
    maxRetries: fc.constantFrom(0, 3),
    idleTimeout: duration,
    h2UpgradePolicy: fc.constantFrom("DEFAULT", "UPGRADE", "DO_NOT_UPGRADE"),
    maxConcurrentStreams: fc.constantFrom(0, 10),
  }, some),
});

const outlierDetection: fc.Arbitrary<Spec> = fc.record({
  consecutive5xxErrors: fc.constantFrom(0, 1, 7),
  consecutiveGatewayErrors: fc.constantFrom(0, 5),
  interval: duration,
  baseEjectionTime: duration,
  maxEjectionPercent: fc.constantFrom(0, 50, 100),
  minHealthPercent: fc.constantFrom(0, 50),
  splitExternalLocalOriginErrors: fc.boolean(),
}, some);

const parts = { loadBalancer, connectionPool, outlierDetection };

/** A traffic policy, with settings of ports. */
export const trafficPolicy: fc.Arbitrary<Spec> = fc.record({
  ...parts,
  portLevelSettings: fc.uniqueArray(fc.constantFrom(80, 9000, 8081), { maxLength: 2 }).chain(
    (numbers) =>
      fc.tuple(
        ...numbers.map((number) =>
          fc.record({ port: fc.constant({ number }), ...parts }, { requiredKeys: ["port"] })
        ),
      ),
  ),
}, some);
