/**
 * Environment variables of routes and sessions.
 *
 * @module
 */
import { declareEnv } from "../../../kit/env/mod.ts";
import type { Features } from "../../translate/mod.ts";

const readers = ["pilot-discovery"] as const;

const EXCLUDE_UNSAFE_503_FROM_DEFAULT_RETRY = declareEnv({
  name: "EXCLUDE_UNSAFE_503_FROM_DEFAULT_RETRY",
  type: "bool",
  default: true,
  doc: "Leave 503 out of the default retry policy: the request may have been served.",
  readers,
});

const ENABLE_INBOUND_RETRY_POLICY = declareEnv({
  name: "ENABLE_INBOUND_RETRY_POLICY",
  type: "bool",
  default: true,
  doc: "Inbound routes retry requests that were reset before they reached the service.",
  readers,
});

const PILOT_ENABLE_VHDS = declareEnv({
  name: "PILOT_ENABLE_VHDS",
  type: "bool",
  default: true,
  doc:
    "Send virtual hosts as resources (VHDS) to sidecars and gateways that are Envoy and use delta xDS. Node metadata VHDS=false disables it for a proxy.",
  readers,
});

const PILOT_ENABLE_ON_DEMAND = declareEnv({
  name: "PILOT_ENABLE_ON_DEMAND",
  type: "bool",
  default: false,
  doc:
    "Send sidecars that are Envoy and use delta xDS only the virtual hosts and clusters that they ask for when requests need them. The label mesh.io/on-demand of a namespace, the annotation of that name of a workload and node metadata ON_DEMAND precede.",
  readers,
});

const MESH_ON_DEMAND_NAMES = declareEnv({
  name: "MESH_ON_DEMAND_NAMES",
  type: "int",
  default: 2000,
  range: { least: 1 },
  doc:
    "Number of hosts and clusters that proxies of a workload class may ask for on demand; all classes of one service account have ten times as many. Requests to further hosts are answered with 503.",
  readers,
});

const PILOT_ENABLE_PERSISTENT_SESSION_FILTER = declareEnv({
  name: "PILOT_ENABLE_PERSISTENT_SESSION_FILTER",
  type: "bool",
  default: false,
  doc: "Enable persistent sessions for services with one of the two session labels.",
  readers,
});

const PILOT_PERSISTENT_SESSION_LABEL = declareEnv({
  name: "PILOT_PERSISTENT_SESSION_LABEL",
  type: "string",
  default: "mesh.io/persistent-session",
  doc: "Label of services with persistent sessions by a cookie; its value is `name:/path`.",
  readers,
});

const PILOT_PERSISTENT_SESSION_HEADER_LABEL = declareEnv({
  name: "PILOT_PERSISTENT_SESSION_HEADER_LABEL",
  type: "string",
  default: "mesh.io/persistent-session-header",
  doc: "Label of services with persistent sessions by a header; its value names the header.",
  readers,
});

/** The labels of sessions; read even without the filter, so that values are checked. */
function sessionLabels(): Features["sessions"] {
  const cookie = PILOT_PERSISTENT_SESSION_LABEL.get();
  const header = PILOT_PERSISTENT_SESSION_HEADER_LABEL.get();
  return PILOT_ENABLE_PERSISTENT_SESSION_FILTER.get() ? { cookie, header } : undefined;
}

/** Switches that are read here. */
type RoutesFeatures = Pick<
  Features,
  "excludeUnsafe503" | "inboundRetry" | "vhds" | "sessions" | "onDemand" | "onDemandNames"
>;

/** Reads them; throws `MeshError` for a value that cannot be read. */
export function readRoutes(): RoutesFeatures {
  return {
    excludeUnsafe503: EXCLUDE_UNSAFE_503_FROM_DEFAULT_RETRY.get(),
    inboundRetry: ENABLE_INBOUND_RETRY_POLICY.get(),
    vhds: PILOT_ENABLE_VHDS.get(),
    sessions: sessionLabels(),
    onDemand: PILOT_ENABLE_ON_DEMAND.get(),
    onDemandNames: MESH_ON_DEMAND_NAMES.get(),
  };
}
