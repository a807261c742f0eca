/**
 * A daemon with several hundred services with long names, sidecars and gateways that are simulated
 * by clients, and troubles: a rejected edit, a document that was never valid, a quarantined
 * cluster, mistakes in references, a proxy with a hostile name.
 *
 * @module
 */
import { type ConfigDir, type Daemon, eventually } from "../../scripts/harness/mod.ts";
import { makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { connectJudging, type JudgingClient } from "./judging_client.ts";
import { documents, manifest, to } from "./manifest.ts";

/** A running mesh. */
export interface TroubledMesh extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly config: ConfigDir;
  /** Repairs what is broken. */
  repair(): Promise<void>;
}

export interface MeshSize {
  readonly namespaces: number;
  /** Services of each namespace. */
  readonly services: number;
}

/** Text that has an effect if a page uses it as markup. */
export const HOSTILE = `<img src=x onerror="document.title='taken'"><script>alert(1)</script>`;

/** Namespace of the object with a rejected edit and of the quarantined cluster. */
export const BROKEN = "payments-settlement-europe-0";

/** Name of the VirtualService with a rejected edit. */
export const EDITED = "settlement-reconciliation-worker-with-a-long-name-0";

/** Name of the service with the cluster that the first proxy rejects. */
export const REFUSED = "settlement-reconciliation-worker-with-a-long-name-1";

/** Id of the first proxy. */
export const PROXY: string = `${EDITED}-7d9f8b6c5d-0.${BROKEN}`;

/** Id of the gateway. */
export const GATEWAY: string = `public-gateway-6c5d.${BROKEN}`;

/** Id of a proxy whose name is markup, with a word that cannot be broken. */
export const UNBROKEN: string = `${HOSTILE}${"y".repeat(150)}.${BROKEN}`;

const PORT = 8080;

const namespaceOf = (at: number) => `payments-settlement-europe-${at}`;
const nameOf = (at: number) => `settlement-reconciliation-worker-with-a-long-name-${at}`;
const hostOf = (namespace: string, at: number) => `${nameOf(at)}.${namespace}.svc.cluster.local`;

/** Starts the mesh, and waits until its troubles are seen by the daemon. */
export async function startTroubledMesh(size: MeshSize): Promise<TroubledMesh> {
  const stack = new AsyncDisposableStack();
  try {
    const config = stack.use(await makeConfigDir());
    for (let at = 0; at < size.namespaces; at++) {
      const namespace = namespaceOf(at);
      await config.write(`${namespace}.yaml`, namespaceDocuments(namespace, size.services));
    }
    await config.write("traffic.yaml", traffic("3s"));
    await config.write("security.yaml", security());
    const daemon = stack.use(await startDaemon({ configDir: config.path }));
    const proxies = connectProxies(daemon, size.namespaces);
    for (const proxy of proxies) stack.use(proxy);
    await eventually("the first sync of all proxies", () => proxies.every((p) => p.held.size > 0));
    await breakThings(daemon, config);
    const owned = stack.move();
    return {
      daemon,
      config,
      repair: async () => {
        await config.write("traffic.yaml", traffic("4s"));
        await config.remove("never-valid.yaml");
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  } catch (e) {
    await stack.disposeAsync();
    throw e;
  }
}

function namespaceDocuments(namespace: string, services: number): string {
  const entries = Array.from({ length: services }, (_, at) => {
    const endpoints = Array.from({ length: 3 }, (_, e) => ({
      address: `10.${at % 250}.${e}.${(at * 7) % 250}`,
      labels: { app: nameOf(at), version: e === 0 ? "v1" : "v2" },
    }));
    return manifest("ServiceEntry", nameOf(at), {
      hosts: [hostOf(namespace, at)],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: PORT, protocol: "HTTP", name: "main" }],
      endpoints,
    }, namespace);
  });
  return documents(...entries);
}

function traffic(timeout: string): string {
  const host = hostOf(BROKEN, 0);
  return documents(
    manifest(
      "VirtualService",
      EDITED,
      { hosts: [host], http: [to(host, "v1", { timeout })] },
      BROKEN,
    ),
    manifest("DestinationRule", EDITED, {
      host,
      subsets: ["v1", "v2"].map((version) => ({ name: version, labels: { version } })),
    }, BROKEN),
    manifest("DestinationRule", "no-such-host", { host: "no-such-host.example.com" }, BROKEN),
    manifest("VirtualService", "no-such-subset", {
      hosts: [hostOf(BROKEN, 2)],
      http: [to(hostOf(BROKEN, 2), "not-a-subset")],
    }, BROKEN),
  );
}

function security(): string {
  return documents(
    manifest("Gateway", "public-gateway", {
      selector: { app: "gateway" },
      servers: [{
        port: { number: 8443, name: "http", protocol: "HTTP" },
        hosts: ["*.example.com"],
      }],
    }, BROKEN),
    manifest("VirtualService", "public-routes", {
      hosts: ["shop.example.com"],
      gateways: ["public-gateway"],
      http: [to(hostOf(BROKEN, 0), "v2")],
    }, BROKEN),
  ) + "---\n" + `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: only-front, namespace: ${BROKEN}}
spec:
  rules:
  - to: [{operation: {methods: [GET], paths: ["/items/*"]}}]
`;
}

/** Sidecars, one of which rejects a cluster, a gateway, and a sidecar with a hostile name. */
function connectProxies({ xds }: Daemon, namespaces: number): JudgingClient[] {
  const proxies = Array.from({ length: namespaces * 3 }, (_, at) =>
    connectJudging(xds, {
      name: `${nameOf(at % 3)}-7d9f8b6c5d-${at}`,
      namespace: namespaceOf(Math.floor(at / 3)),
      ip: `10.${at % 3}.0.0`,
      labels: { app: nameOf(at % 3), version: "v1" },
      routes: [`${PORT}`],
      ...(at === 0 ? { judge: rejectRefused } : {}),
    }));
  return [
    ...proxies,
    connectJudging(xds, {
      name: "public-gateway-6c5d",
      namespace: BROKEN,
      role: "router",
      ip: "10.200.0.1",
      labels: { app: "gateway" },
      routes: ["http.8443"],
    }),
    connectJudging(xds, {
      name: UNBROKEN.slice(0, -BROKEN.length - 1),
      namespace: BROKEN,
      ip: "10.200.0.2",
      labels: { app: HOSTILE },
    }),
  ];
}

/** Message of the rejection: as long as those of Envoy are. */
const MESSAGE = "Error adding/updating cluster(s) " +
  `outbound|${PORT}||${REFUSED}.${BROKEN}.svc.cluster.local: Proto constraint validation failed ` +
  "(ClusterValidationError.ConnectTimeout: value must be greater than 0s): name: " +
  `"outbound|${PORT}||${REFUSED}.${BROKEN}.svc.cluster.local" `.repeat(8);

/** Rejects the changed version of a cluster: its first one is accepted. */
function rejectRefused(names: readonly string[]): string | undefined {
  const rejected = names.some((name) => name.includes(`${REFUSED}.${BROKEN}`));
  return rejected && names.length < 20 ? MESSAGE : undefined;
}

async function breakThings(daemon: Daemon, config: ConfigDir): Promise<void> {
  await config.write("never-valid.yaml", manifest("Sidecr", "misspelt", { egres: [] }, BROKEN));
  const host = `${REFUSED}.${BROKEN}.svc.cluster.local`;
  await config.write(
    "refused.yaml",
    manifest("DestinationRule", REFUSED, {
      host,
      trafficPolicy: { connectionPool: { tcp: { connectTimeout: "7s" } } },
    }, BROKEN),
  );
  await eventually(
    "the quarantine",
    async () => (await daemon.debug<unknown[]>("quarantine")).length > 0,
  );
  await config.write("traffic.yaml", traffic("soon"));
  await eventually("both rejected documents", async () => {
    const { problems } = await daemon.debug<{ problems: unknown[] }>("configz?problems=true");
    return problems.length >= 2;
  });
}
