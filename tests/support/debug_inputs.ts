/**
 * Inputs of the debug pages for tests: an empty daemon, with parts that a test replaces.
 *
 * @module
 */
import type { DebugInputs } from "../../lib/insight/debug/mod.ts";
import type { SessionInfo } from "../../lib/mesh/xds/mod.ts";
import type { History } from "../../lib/insight/history/mod.ts";

/** A service `a.example` with an endpoint, in namespace `shop`. */
export const SHOP_SERVICE = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a, namespace: shop}
spec:
  hosts: [a.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1}]
`;

/** The session of a proxy with parts that a test gives; access to others fails. */
export function debugSession(parts: Partial<SessionInfo>): SessionInfo {
  return { types: [], ...parts } as SessionInfo;
}

const EMPTY_HISTORY: History = {
  revisions: () => [],
  revision: () => undefined,
  at: () => undefined,
  diff: () => undefined,
};

/** The inputs of an empty daemon; access to parts that have no default, as `mesh`, fails. */
export function debugInputs(over: Partial<DebugInputs>): DebugInputs {
  const inputs: Partial<DebugInputs> = {
    sessions: () => [],
    objects: () => [],
    problems: () => [],
    warnings: () => [],
    credentialFaults: () => [],
    fetchFaults: () => ({ keySets: [], bundles: [] }),
    proxyStates: {
      of: () => undefined,
      exits: () => [],
      exited: () => [],
      connected: () => [],
    },
    proxyWarnings: () => [],
    analysis: () => [],
    receipts: { of: () => [], latest: () => [] },
    pushes: () => [],
    samples: () => [],
    quarantined: () => [],
    learned: () => [],
    hostAsked: () => "",
    history: EMPTY_HISTORY,
    audit: () => ({ audited: 0, skipped: 0, differences: 0, passes: 0, reports: [] }),
    scopedGateways: false,
    certificates: () => [],
    now: () => 0,
    startedAt: 0,
    clusterId: "test",
    version: "1.2.3",
    ...over,
  };
  return inputs as DebugInputs;
}
