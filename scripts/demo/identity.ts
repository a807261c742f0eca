/**
 * The demo's steps of identity: two callers and a server whose proxies have certificates that the
 * daemon issues. The demo makes the authority, and a first certificate for each workload, with which
 * its agent obtains further ones.
 *
 * @module
 */
import {
  generateKey,
  issueAuthority,
  issueLeaf,
  type Issuer,
  privateKeyPem,
} from "../../lib/pki/mod.ts";
import {
  type Agent,
  type Backend,
  call,
  type ConfigDir,
  freePort,
  startAgent,
  startBackend,
} from "../harness/mod.ts";
import type { createNarrator } from "./narrator.ts";

/** The authority of the demo's workloads, and the daemon's options for it. */
export interface DemoAuthority {
  readonly issuer: Issuer;
  /** Port of the daemon's secured listener. */
  readonly secured: number;
  /** Variables of the daemon. */
  readonly env: Readonly<Record<string, string>>;
}

/** The parts that the steps use. */
export interface IdentityScene {
  readonly narrator: ReturnType<typeof createNarrator>;
  readonly config: ConfigDir;
  readonly authority: DemoAuthority;
  readonly envoy: string;
  /** Folder for the agents' files. */
  readonly work: string;
}

const HOST = "orders.demo.mesh";
const ADDRESSES = { orders: "127.0.0.12", web: "127.0.0.13", guest: "127.0.0.14" } as const;
const DAY_MS = 24 * 3_600_000;

type Name = keyof typeof ADDRESSES;

function idOf(name: Name): string {
  return `cluster.local/ns/${name}/sa/${name}`;
}

/** Makes the authority in a folder. */
export async function makeAuthority(work: string): Promise<DemoAuthority> {
  const dir = `${work}/authority`;
  await Deno.mkdir(dir);
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const validity = { notBefore: Date.now() - DAY_MS, notAfter: Date.now() + DAY_MS };
  const certificate = await issueAuthority({ organization: "cluster.local", key, ...validity });
  await Deno.writeTextFile(`${dir}/ca-cert.pem`, certificate.pem);
  await Deno.writeTextFile(`${dir}/root-cert.pem`, certificate.pem);
  await Deno.writeTextFile(`${dir}/ca-key.pem`, await privateKeyPem(key, "pkcs8"), { mode: 0o600 });
  return { issuer: { certificate, key }, secured: freePort(), env: { ROOT_CA_DIR: dir } };
}

/** Writes a workload's first certificate below its folder. */
async function provision(dir: string, issuer: Issuer, name: Name): Promise<void> {
  await Deno.mkdir(dir, { recursive: true });
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const leaf = await issueLeaf({
    spki: key.spki,
    uris: [`spiffe://${idOf(name)}`],
    notBefore: Date.now() - 60_000,
    notAfter: Date.now() + DAY_MS / 2,
  }, issuer);
  await Deno.writeTextFile(`${dir}/cert-chain.pem`, leaf.pem);
  await Deno.writeTextFile(`${dir}/key.pem`, await privateKeyPem(key, "pkcs8"), { mode: 0o600 });
  await Deno.writeTextFile(`${dir}/root-cert.pem`, issuer.certificate.pem);
}

async function startWorkload(scene: IdentityScene, name: Name): Promise<Agent> {
  const { authority: { issuer, secured }, envoy, work } = scene;
  await provision(`${work}/${name}/provisioned`, issuer, name);
  return await startAgent({
    role: "sidecar",
    name,
    namespace: name,
    labels: { app: name },
    ip: ADDRESSES[name],
    xds: `localhost:${secured}`,
    envoy,
    dir: work,
    interception: "NONE",
    env: {
      SERVICE_ACCOUNT: name,
      ECC_SIGNATURE_ALGORITHM: "ECDSA",
      PROV_CERT: "./provisioned",
    },
    proxyConfig: { controlPlaneAuthPolicy: "MUTUAL_TLS" },
  });
}

/** The service, a listener for each caller, and a server that takes mutual TLS only. */
function mesh(port: number): string {
  const sidecar = (name: Name, bind: string, number: number) =>
    `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: ${name}, namespace: ${name}}
spec:
  egress:
  - port: {number: ${number}, protocol: HTTP, name: http}
    bind: ${bind}
    captureMode: NONE
    hosts: ["orders/*"]
`;
  return [
    `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: orders, namespace: orders}
spec:
  hosts: [${HOST}]
  location: MESH_INTERNAL
  resolution: STATIC
  ports:
  - {number: ${port}, name: http, protocol: HTTP}
  endpoints:
  - {address: ${ADDRESSES.orders}, ports: {http: ${port}}, labels: {app: orders}, serviceAccount: orders}
`,
    sidecar("web", ADDRESSES.web, port),
    sidecar("guest", ADDRESSES.guest, port),
    sidecar("orders", "127.0.0.15", port),
    `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: orders}
spec: {mtls: {mode: STRICT}}
`,
  ].join("---\n");
}

const DENY_GUEST = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: no-guests, namespace: orders}
spec:
  action: DENY
  rules:
  - from:
    - source: {principals: ["${idOf("guest")}"]}
`;

/** Runs the steps. The parts end with them. */
export async function identitySteps(scene: IdentityScene): Promise<void> {
  const { narrator, config } = scene;
  await using backend = startBackend("orders");
  await config.write("orders.yaml", mesh(backend.port));
  const names: readonly Name[] = ["orders", "web", "guest"];
  await using stack = new AsyncDisposableStack();
  for (const agent of await Promise.all(names.map((name) => startWorkload(scene, name)))) {
    stack.use(agent);
  }
  await narrator.step(
    "Mutual TLS with certificates of the daemon: the backend sees the caller's identity",
    () => Promise.resolve(),
    async () => {
      const web = await ask("web", backend);
      const guest = await ask("guest", backend);
      const plain = await callOnce(ADDRESSES.orders, backend);
      return {
        seen: `web is ${web.identity}, guest is ${guest.identity}, plain text: ${plain.status}`,
        ok: web.identity === `spiffe://${idOf("web")}` &&
          guest.identity === `spiffe://${idOf("guest")}` && plain.status === 0,
      };
    },
  );
  await narrator.step("One caller is denied by its identity", async () => {
    narrator.show("no-guests.yaml", DENY_GUEST);
    await config.write("no-guests.yaml", DENY_GUEST);
  }, async () => {
    const web = await ask("web", backend);
    const guest = await ask("guest", backend);
    return {
      seen: `web: ${web.status}, guest: ${guest.status}`,
      ok: web.status === 200 && guest.status === 403,
    };
  });
}

/** A request through a caller's proxy. */
function ask(name: Name, backend: Backend) {
  return callOnce(ADDRESSES[name], backend);
}

/** The status, 0 without an answer, and the identity that the backend was told. */
async function callOnce(ip: string, { port }: Backend) {
  try {
    const { status, echo } = await call(`http://${ip}:${port}/`, { host: HOST });
    const header = echo?.headers["x-forwarded-client-cert"] ?? "";
    return { status, identity: /URI=([^;,]+)/.exec(header)?.[1] ?? "unknown" };
  } catch {
    return { status: 0, identity: "unknown" };
  }
}
