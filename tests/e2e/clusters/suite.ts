/**
 * The suite of clusters: its cases, configuration and proxies.
 *
 * @module
 */
import { freePorts, startBackend, startTcpBackend } from "../../../scripts/harness/mod.ts";
import { startWorld, type World } from "../../support/world.ts";
import { BALANCING_CASES } from "./balancing_cases.ts";
import type { ClusterCase, Parts } from "./case.ts";
import { ENDPOINT_CASES } from "./endpoint_cases.ts";
import { LOCALITY, LOCALITY_CASES } from "./locality_cases.ts";
import { LIMIT_CASES } from "./limit_cases.ts";
import { allSidecars, EVERYTHING, SCOPE_CASES, SIDECARS_FILE } from "./scope_cases.ts";
import { RULE_CASES } from "./rule_cases.ts";
import { MESH_CASES } from "./mesh_cases.ts";
import { PROXY_CASES } from "./proxy_cases.ts";
import { TCP_CASES } from "./tcp_cases.ts";

/** All cases. Those about scopes come last: they take the listeners of the others away for a while. */
export const CLUSTER_CASES: readonly ClusterCase[] = [
  ...ENDPOINT_CASES,
  ...BALANCING_CASES,
  ...LOCALITY_CASES,
  ...LIMIT_CASES,
  ...RULE_CASES,
  ...TCP_CASES,
  ...MESH_CASES,
  ...SCOPE_CASES,
  ...PROXY_CASES,
];

/** The suite with its proxies. */
export interface ClusterSuite extends AsyncDisposable {
  readonly world: World;
  readonly parts: Parts;
}

/**
 * Starts the suite with the configuration of all cases.
 *
 * @param envoy path of another Envoy than the pinned one
 */
export async function startClusterSuite(envoy?: string): Promise<ClusterSuite> {
  await using stack = new AsyncDisposableStack();
  const [a, b, c] = ["a", "b", "c"].map((name) => stack.use(startBackend(name)));
  const one = stack.use(await startTcpBackend("t"));
  const other = stack.use(await startTcpBackend("u"));
  const [http = 0, tcp = 0, tcpSplit = 0, ingress = 0, merged = 0] = freePorts(5);
  const parts: Parts = {
    ports: { http, tcp, tcpSplit, ingress, merged },
    backends: { a: a!, b: b!, c: c! },
    tcp: { t: one, u: other },
  };
  const files = Object.fromEntries(
    CLUSTER_CASES.map((k) => [`${k.file}.yaml`, k.documents(parts)]),
  );
  files[SIDECARS_FILE] = allSidecars(parts, EVERYTHING);
  const stats = [
    "upstream_rq_pending_overflow",
    "ejections_active",
    "upstream_cx_http1_total",
    "upstream_cx_http2_total",
  ];
  const labels = { "mesh-locality": LOCALITY };
  const world = stack.use(await startWorld({ envoy, files, stats, labels }));
  const all = stack.move();
  return { world, parts, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
