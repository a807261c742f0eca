/**
 * The mesh that a machine joins, as a program: `mesh.ts DIR`. It runs the daemon, a service behind
 * a proxy, and a client's proxy, writes the machine's bundle to `DIR/bundle`, prints `ready`, and
 * ends with its input.
 *
 * @module
 */
import { makeConfigDir, startBackend, startDaemon } from "../../../scripts/harness/mod.ts";
import { startCertifiedAgent, startTokenIssuer, writePluggedCa } from "../../support/identity.ts";
import { documents, manifest } from "../../support/manifest.ts";
import { BESIDE, ELSEWHERE, WORKLOAD } from "../redirect/network.ts";
import { policy } from "../security/world.ts";

/** Address of the client's proxy; the daemon has {@link ELSEWHERE}, the service {@link BESIDE}. */
export const WEB = "10.99.0.4";
/** Port of the machine's service, and of the client's listener for it. */
export const WEB_PORT = 8100;
/** Hosts of the service in the mesh and of the machine's service. */
export const HOSTS = { shop: "shop.example", till: "till.example" } as const;
/** Port of the application on the machine. */
export const APPLICATION_PORT = 8080;
/** File of the folder with the base URL of the daemon's debug pages. */
export const DAEMON_FILE = "daemon";

const VIRTUAL = "10.98.0.1";
const SECURED_PORT = 15012;

function configuration(shopPort: number): string {
  const sidecar = (namespace: string, listener: object) =>
    manifest("Sidecar", namespace, {
      egress: [{ captureMode: "NONE", hosts: ["*/*"], ...listener }],
    }, namespace);
  const strict = (namespace: string) =>
    policy("PeerAuthentication", "strict", { mtls: { mode: "STRICT" } }, { namespace });
  return documents(
    manifest("ServiceEntry", "shop", {
      hosts: [HOSTS.shop],
      addresses: [VIRTUAL],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: 80, protocol: "HTTP", name: "main" }],
      endpoints: [{
        address: BESIDE,
        ports: { main: shopPort },
        labels: { app: "shop" },
        serviceAccount: "shop",
      }],
    }, "shop"),
    manifest("WorkloadGroup", "tills", {
      metadata: { labels: { app: "till" } },
      template: { serviceAccount: "till", ports: { main: APPLICATION_PORT } },
    }, "legacy"),
    manifest("ServiceEntry", "till", {
      hosts: [HOSTS.till],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{
        number: WEB_PORT,
        protocol: "HTTP",
        name: "main",
        targetPort: APPLICATION_PORT,
      }],
      workloadSelector: { labels: { app: "till" } },
    }, "legacy"),
    sidecar("web", { bind: WEB, port: { number: WEB_PORT, protocol: "HTTP", name: "http" } }),
    sidecar("shop", { bind: "127.0.44.1", port: { number: 9, protocol: "TCP", name: "tcp" } }),
    strict("shop"),
    strict("legacy"),
    policy("AuthorizationPolicy", "tills-only", {
      action: "DENY",
      rules: [{
        from: [{ source: { notPrincipals: ["cluster.local/ns/legacy/sa/till"] } }],
      }],
    }, { namespace: "shop" }),
  );
}

/** Lines of `cluster.env`, as `workload entry configure` writes them. */
const CLUSTER_ENV: Readonly<Record<string, string>> = {
  CANONICAL_REVISION: "latest",
  CANONICAL_SERVICE: "tills",
  CA_ADDR: "",
  MESH_INBOUND_PORTS: "*",
  MESH_LOCAL_EXCLUDE_PORTS: "22,15090,15021,15020",
  MESH_METAJSON_LABELS: JSON.stringify({ app: "till" }),
  MESH_META_AUTO_REGISTER_GROUP: "tills",
  MESH_META_CLUSTER_ID: "Orchestrator",
  MESH_META_DNS_CAPTURE: "true",
  MESH_META_MESH_ID: "",
  MESH_META_NETWORK: "",
  MESH_META_WORKLOAD_NAME: "tills",
  MESH_NAMESPACE: "legacy",
  MESH_SERVICE: "tills.legacy",
  MESH_SERVICE_CIDR: "*",
  MESH_SVC_IP: WORKLOAD,
  POD_NAMESPACE: "legacy",
  SERVICE_ACCOUNT: "till",
  TRUST_DOMAIN: "",
};

async function writeBundle(folder: string, token: string, root: string): Promise<void> {
  const host = `meshd.mesh-system.svc`;
  const lines = Object.entries(CLUSTER_ENV).map(([name, value]) => `${name}='${value}'\n`);
  const files = {
    "cluster.env": lines.join(""),
    "mesh.yaml": `defaultConfig:
  discoveryAddress: ${host}:${SECURED_PORT}
  proxyMetadata:
    MESH_META_DNS_CAPTURE: "true"
    TRUST_DOMAIN: ""
  readinessProbe:
    periodSeconds: 1
    failureThreshold: 1
    httpGet:
      port: ${APPLICATION_PORT}
`,
    "root-cert.pem": root,
    "mesh-token": token,
    "hosts": `${ELSEWHERE} ${host}`,
  };
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
}

async function main(dir: string): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const issuer = stack.use(await startTokenIssuer());
  const { certificate } = await writePluggedCa(`${dir}/ca`);
  const backend = stack.use(startBackend("shop"));
  const config = stack.use(await makeConfigDir());
  await config.write("mesh.yaml", configuration(backend.port));
  const daemon = stack.use(
    await startDaemon({
      configDir: config.path,
      // The last value of a flag that is given twice holds.
      args: [`--secureGRPCAddr=:${SECURED_PORT}`],
      env: {
        JWT_RULE: issuer.rule,
        ROOT_CA_DIR: `${dir}/ca`,
        PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: "50ms",
        MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY: "true",
      },
    }),
  );
  await Deno.writeTextFile(`${dir}/${DAEMON_FILE}`, daemon.http);
  const root = certificate.pem;
  const starter = { issuer, root, dir, xds: `localhost:${SECURED_PORT}` };
  for (const [name, ip] of [["shop", BESIDE], ["web", WEB]] as const) {
    const agent = await startCertifiedAgent(starter, {
      role: "sidecar",
      name,
      namespace: name,
      labels: { app: name },
      ip,
      interception: "NONE",
    });
    stack.use(agent);
  }
  await writeBundle(`${dir}/bundle`, await issuer.token("legacy", "till"), root);
  console.log("ready");
  for await (const _ of Deno.stdin.readable) { /* Nothing is said; the end is waited for. */ }
}

if (import.meta.main) await main(Deno.args[0]!);
