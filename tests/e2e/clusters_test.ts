/**
 * Endpoints, load balancing, limits and scopes, by traffic through a real Envoy, over both xDS
 * variants.
 *
 * @module
 */
import { freePorts, startBackend, startTcpBackend } from "../../scripts/harness/mod.ts";
import { assertNothingRejected, startWorld } from "../support/world.ts";
import { BALANCING_CASES } from "./clusters/balancing_cases.ts";
import { type ClusterCase, type Parts, runCase } from "./clusters/case.ts";
import { ENDPOINT_CASES } from "./clusters/endpoint_cases.ts";
import { LOCALITY, LOCALITY_CASES } from "./clusters/locality_cases.ts";
import { LIMIT_CASES } from "./clusters/limit_cases.ts";
import { allSidecars, EVERYTHING, SCOPE_CASES, SIDECARS_FILE } from "./clusters/scope_cases.ts";
import { RULE_CASES } from "./clusters/rule_cases.ts";
import { MESH_CASES } from "./clusters/mesh_cases.ts";
import { PROXY_CASES } from "./clusters/proxy_cases.ts";
import { TCP_CASES } from "./clusters/tcp_cases.ts";

/** Those about scopes come last: they take the listeners of the others away for a while. */
const CASES: readonly ClusterCase[] = [
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

Deno.test("services are reached at their endpoints", async (t) => {
  await using a = startBackend("a");
  await using b = startBackend("b");
  await using c = startBackend("c");
  await using one = await startTcpBackend("t");
  await using other = await startTcpBackend("u");
  const [http = 0, tcp = 0, tcpSplit = 0, ingress = 0, merged = 0] = freePorts(5);
  const parts: Parts = {
    ports: { http, tcp, tcpSplit, ingress, merged },
    backends: { a, b, c },
    tcp: { t: one, u: other },
  };
  const files = Object.fromEntries(CASES.map((k) => [`${k.file}.yaml`, k.documents(parts)]));
  files[SIDECARS_FILE] = allSidecars(parts, EVERYTHING);
  const stats = [
    "upstream_rq_pending_overflow",
    "ejections_active",
    "upstream_cx_http1_total",
    "upstream_cx_http2_total",
  ];
  await using world = await startWorld({ files, stats, labels: { "mesh-locality": LOCALITY } });
  for (const one of CASES) await t.step(one.name, () => runCase(one, world, parts));
  await t.step("no update was refused", () => assertNothingRejected(world));
});
