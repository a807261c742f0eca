/**
 * Daemon and agent with Envoy in the workload's network, as a program: `workload.ts CAPTURE DIR`,
 * or `workload.ts CAPTURE DIR closed` for a mesh with workloads on loopback and one egress proxy
 * for undeclared destinations, or `workload.ts CAPTURE DIR dialled` for one in which dialled addresses
 * decide. It prints `ready`, and ends with its input.
 *
 * @module
 */
import { makeConfigDir, startAgent, startDaemon } from "../../../scripts/harness/mod.ts";
import { envoyPath } from "../../../scripts/tools.ts";
import { documents, manifest, type Spec } from "../../support/manifest.ts";
import { DIALLED_CONFIGURATION } from "./dialled.ts";
import { BESIDE, ELSEWHERE, WORKLOAD } from "./network.ts";

/** Ports of the application: declared for HTTP and TCP, and one that nothing declares. */
export const APPLICATION = { http: 8080, tcp: 9000, undeclared: 8090 } as const;

/** Ports elsewhere: of services, and one that no service has; of instances that are called one by one; of the way out. */
export const FAR = { http: 8000, tcp: 7001, unknown: 8055, nodes: 5432, wayOut: 9443 } as const;

/** Addresses that services elsewhere are called by. */
export const VIRTUAL = { http: "10.98.0.1", tcp: "10.98.0.2" } as const;

function service(name: string, protocol: string, number: number, more: Spec): string {
  return manifest("ServiceEntry", name, {
    hosts: [`${name}.test`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number, protocol, name: "main" }],
    ...more,
  }, "shop");
}

const CONFIGURATION = documents(
  service("app", "HTTP", APPLICATION.http, {
    endpoints: [{ address: WORKLOAD, labels: { app: "app" } }],
  }),
  service("till", "TCP", APPLICATION.tcp, {
    endpoints: [{ address: WORKLOAD, labels: { app: "app" } }],
  }),
  service("far", "HTTP", 80, {
    addresses: [VIRTUAL.http],
    endpoints: [{ address: ELSEWHERE, ports: { main: FAR.http } }],
  }),
  service("bytes", "TCP", 7000, {
    addresses: [VIRTUAL.tcp],
    endpoints: [{ address: ELSEWHERE, ports: { main: FAR.tcp } }],
  }),
  manifest("VirtualService", "far", {
    hosts: ["far.test"],
    http: [{
      match: [{ uri: { prefix: "/teapot" } }],
      directResponse: { status: 418 },
    }, { route: [{ destination: { host: "far.test" } }] }],
  }, "shop"),
  manifest("AuthorizationPolicy", "secret", {
    selector: { matchLabels: { app: "app" } },
    action: "DENY",
    rules: [{ to: [{ operation: { paths: ["/secret"], ports: [`${APPLICATION.http}`] } }] }],
  }, "shop").replace("networking.mesh.io/v1", "security.mesh.io/v1"),
);

/** A service whose instances are called one by one; and a Sidecar that names one port of the two, and a way out. */
const CLOSED = documents(
  CONFIGURATION,
  manifest("ServiceEntry", "nodes", {
    hosts: ["nodes.shop.svc.cluster.local"],
    location: "MESH_INTERNAL",
    resolution: "NONE",
    ports: [{ number: FAR.nodes, protocol: "TCP", name: "main" }],
    workloadSelector: { labels: { app: "nodes" } },
  }, "shop"),
  ...[ELSEWHERE, BESIDE].map((address, i) =>
    manifest("WorkloadEntry", `node-${i}`, { address, labels: { app: "nodes" } }, "shop")
  ),
  manifest("Sidecar", "app", {
    workloadSelector: { labels: { app: "app" } },
    ingress: [{
      port: { number: APPLICATION.tcp, protocol: "TCP", name: "tcp" },
      defaultEndpoint: `127.0.0.1:${APPLICATION.tcp}`,
    }],
    egress: [{ hosts: ["*/*"] }],
    outboundTrafficPolicy: {
      mode: "ALLOW_ANY",
      egressProxy: { host: "way-out.test", port: { number: FAR.wayOut } },
    },
  }, "shop"),
  service("way-out", "TCP", FAR.wayOut, { endpoints: [{ address: BESIDE }] }),
);

const CLOSED_MESH = "inboundTrafficPolicy: {mode: LOCALHOST}\n";

const CONFIGURATIONS: Readonly<Record<string, string>> = {
  closed: CLOSED,
  dialled: DIALLED_CONFIGURATION,
};

async function main(capture: string, dir: string, kind: string | undefined): Promise<void> {
  const closed = kind === "closed";
  await using config = await makeConfigDir();
  await config.write("mesh.yaml", CONFIGURATIONS[kind ?? ""] ?? CONFIGURATION);
  const meshConfig = `${dir}/mesh.yaml`;
  await Deno.writeTextFile(meshConfig, closed ? CLOSED_MESH : "{}\n");
  await using daemon = await startDaemon({
    configDir: config.path,
    args: [`--meshConfig=${meshConfig}`],
    env: { PILOT_ALLOW_SIDECAR_SERVICE_INBOUND_LISTENER_MERGE: `${closed}` },
  });
  await using agent = await startAgent({
    role: "sidecar",
    name: "app",
    namespace: "shop",
    labels: { app: "app" },
    ip: WORKLOAD,
    xds: daemon.xds,
    envoy: await envoyPath(),
    dir,
    env: { MESH_META_INTERCEPTION_MODE: capture, MESH_META_DNS_CAPTURE: "true" },
  });
  console.log("ready");
  for await (const _ of Deno.stdin.readable) { /* Nothing is said; the end is waited for. */ }
  const refused = Object.values(await agent.stats("update_rejected$"));
  if (refused.some((count) => count > 0)) console.log("the proxy refused something");
}

if (import.meta.main) await main(Deno.args[0]!, Deno.args[1]!, Deno.args[2]);
