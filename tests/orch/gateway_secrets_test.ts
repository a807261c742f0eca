/**
 * Secrets and ConfigMaps that Gateways of the Gateway API refer to, from a real API server: which proxies
 * are sent them, and what the status says.
 */
import assert from "node:assert/strict";
import {
  createObject,
  deleteObject,
  type OrchClient,
  replaceObject,
  types,
} from "../../lib/kit/orch/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { type Cluster, eventually, freePort, startDaemon } from "../../scripts/harness/mod.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { applyGatewayApi, lackingGatewayApiDefinitions } from "../support/gateway_api.ts";
import { type GatewayCredentials, makeGatewayCredentials } from "../support/gateway_credentials.ts";
import { writePluggedCa } from "../support/identity.ts";
import { type WatchedSecrets, watchSecrets } from "../support/secrets_client.ts";
import { createAccounts, tokenOf } from "../support/service_accounts.ts";

const GROUP = "gateway.networking.k8s.io";
const OWN = "kubernetes-gateway://shop/web";
const OTHER = "kubernetes-gateway://vault/other";
const CLIENTS = "configmap://shop/clients";
const NAMES = [OWN, OTHER, CLIENTS, "kubernetes://web", "kubernetes-gateway://shop/unnamed"];

/** The servers as proxies have them, and the Gateway whose references allow their credentials. */
const OBJECTS = `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: servers, namespace: shop}
spec:
  selector: {at: edge}
  servers:
  - port: {number: 443, name: a, protocol: HTTPS}
    hosts: [a.example]
    tls: {mode: SIMPLE, credentialName: "${OWN}"}
  - port: {number: 443, name: b, protocol: HTTPS}
    hosts: [b.example]
    tls: {mode: SIMPLE, credentialName: "${OTHER}"}
  - port: {number: 444, name: c, protocol: HTTPS}
    hosts: [c.example]
    tls:
      mode: MUTUAL
      credentialName: "kubernetes-gateway://shop/unnamed"
      caCertCredentialName: "${CLIENTS}"
  - port: {number: 445, name: d, protocol: HTTPS}
    hosts: [d.example]
    tls: {mode: SIMPLE, credentialName: web}
---
apiVersion: ${GROUP}/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  gatewayClassName: mesh
  addresses: [{type: Hostname, value: edge.shop.svc.cluster.local}]
  tls:
    frontend:
      default:
        validation: {caCertificateRefs: [{group: "", kind: ConfigMap, name: clients}]}
  listeners:
  - name: a
    port: 443
    protocol: HTTPS
    hostname: a.example
    tls: {certificateRefs: [{name: web}]}
  - name: b
    port: 443
    protocol: HTTPS
    hostname: b.example
    tls: {certificateRefs: [{name: other, namespace: vault}]}
`;

const GRANT = `apiVersion: ${GROUP}/v1
kind: ReferenceGrant
metadata: {name: grant, namespace: vault}
spec:
  from: [{group: ${GROUP}, kind: Gateway, namespace: shop}]
  to: [{group: "", kind: Secret, name: other}]
`;

async function kubectl(cluster: Cluster, args: readonly string[], input?: string): Promise<string> {
  const { success, text } = await cluster.run(args, input);
  assert.ok(success, text);
  return text;
}

/** The reasons of `ResolvedRefs`, by listener. */
async function resolved(cluster: Cluster): Promise<string> {
  interface Seen {
    readonly status?: {
      readonly listeners?: readonly {
        readonly name: string;
        readonly conditions: readonly { readonly type: string; readonly reason: string }[];
      }[];
    };
  }
  const args = ["get", `gateways.${GROUP}`, "edge", "-n", "shop", "-o=json"];
  const { status } = JSON.parse(await kubectl(cluster, args)) as Seen;
  return (status?.listeners ?? []).map(({ name, conditions }) =>
    `${name}:${conditions.find(({ type }) => type === "ResolvedRefs")?.reason}`
  ).join(" ");
}

async function saysResolved(cluster: Cluster, expected: string): Promise<void> {
  let last = "";
  await eventually(expected, async () => (last = await resolved(cluster)) === expected)
    .catch((cause) => {
      throw new Error(last, { cause });
    });
}

async function holds({ held }: WatchedSecrets, ...names: readonly string[]): Promise<void> {
  const now = () => `${[...held.keys()].sort()}`;
  await eventually(`${names}`, () => Promise.resolve(now() === `${names.toSorted()}`))
    .catch((cause) => {
      throw new Error(now(), { cause });
    });
}

async function put(
  client: OrchClient,
  kind: "Secret" | "ConfigMap",
  [namespace, name]: readonly [string, string],
  data: Record<string, string>,
): Promise<void> {
  const type = kind === "Secret" ? types.SECRET : types.CONFIG_MAP;
  const object = { apiVersion: "v1", kind, metadata: { namespace, name }, data };
  await createObject(client, type, object).catch(() => replaceObject(client, type, object));
}

/** A new pair, as the data of a secret. */
async function pair(made: GatewayCredentials): Promise<Record<string, string>> {
  await made.writePair("shop", "ecdsa");
  const read = async (name: string) =>
    (await Deno.readFile(`${made.dir}/shop/ecdsa/${name}`)).toBase64();
  return { "tls.crt": await read("tls.crt"), "tls.key": await read("tls.key") };
}

interface Scene {
  readonly cluster: Cluster;
  readonly client: OrchClient;
  readonly made: GatewayCredentials;
  readonly edge: WatchedSecrets;
}

async function followsGrants({ cluster, edge }: Scene): Promise<void> {
  await holds(edge, OWN, CLIENTS);
  await saysResolved(cluster, "a:ResolvedRefs b:RefNotPermitted");
  await kubectl(cluster, ["apply", "-f", "-"], GRANT);
  await holds(edge, OWN, CLIENTS, OTHER);
  await saysResolved(cluster, "a:ResolvedRefs b:ResolvedRefs");
  await kubectl(cluster, ["delete", "referencegrant", "grant", "-n", "vault"]);
  await holds(edge, OWN, CLIENTS);
  await saysResolved(cluster, "a:ResolvedRefs b:RefNotPermitted");
}

async function followsContents({ cluster, client, made, edge }: Scene): Promise<void> {
  const before = `${edge.held.get(OWN)}`;
  const renewed = await pair(made);
  await put(client, "Secret", ["shop", "web"], renewed);
  await eventually("the renewed one", () => Promise.resolve(`${edge.held.get(OWN)}` !== before));
  const { "tls.key": _, ...faulty } = renewed;
  await put(client, "Secret", ["shop", "web"], faulty);
  await saysResolved(cluster, "a:InvalidCertificateRef b:RefNotPermitted");
  assert.ok(edge.held.has(OWN), "the last good version serves");
  await deleteObject(client, types.SECRET, { namespace: "shop", name: "web" });
  await holds(edge, CLIENTS);
  await put(client, "Secret", ["shop", "web"], { "tls.crt": btoa("x"), "tls.key": btoa("y") });
  await saysResolved(cluster, "a:InvalidCertificateRef b:RefNotPermitted");
  await holds(edge, CLIENTS);
  await put(client, "Secret", ["shop", "web"], await pair(made));
  await holds(edge, OWN, CLIENTS);
}

async function followsConfigMaps({ cluster, client, made, edge }: Scene): Promise<void> {
  const { ca } = made;
  const before = `${edge.held.get(CLIENTS)}`;
  await put(client, "ConfigMap", ["shop", "clients"], { "ca.crt": `${ca}\n${ca}` });
  await eventually("the others", () => Promise.resolve(`${edge.held.get(CLIENTS)}` !== before));
  await put(client, "ConfigMap", ["shop", "clients"], { "ca.crt": "x" });
  await saysResolved(cluster, "a:InvalidCACertificateRef b:RefNotPermitted");
  assert.ok(edge.held.has(CLIENTS), "the last good ones serve");
  await put(client, "ConfigMap", ["shop", "clients"], { other: ca });
  await holds(edge, OWN);
  await put(client, "ConfigMap", ["shop", "clients"], { "ca.crt": ca });
  await holds(edge, OWN, CLIENTS);
  await deleteObject(client, types.CONFIG_MAP, { namespace: "shop", name: "clients" });
  await saysResolved(cluster, "a:InvalidCACertificateRef b:RefNotPermitted");
  await put(client, "ConfigMap", ["shop", "clients"], { "ca.crt": ca });
  await saysResolved(cluster, "a:ResolvedRefs b:RefNotPermitted");
  await holds(edge, OWN, CLIENTS);
}

clusterTest("secrets that Gateways of the Gateway API refer to", async (cluster, t) => {
  await using stack = new AsyncDisposableStack();
  using client = await adminClient(cluster);
  await applyDefinitions(client);
  await applyGatewayApi(cluster);
  await createAccounts(client, ["shop/edge", "vault/owner", "mesh-system/meshd"]);
  const dir = await Deno.makeTempDir({ prefix: "mesh-gateway-secrets-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const { certificate: { pem } } = await writePluggedCa(`${dir}/ca`);
  const made = await makeGatewayCredentials(`${dir}/made`, "a.example");
  await put(client, "Secret", ["shop", "web"], await pair(made));
  await put(client, "Secret", ["shop", "unnamed"], await pair(made));
  await put(client, "Secret", ["vault", "other"], await pair(made));
  await put(client, "ConfigMap", ["shop", "clients"], { "ca.crt": made.ca });
  await kubectl(cluster, ["apply", "-f", "-"], OBJECTS);
  const secured = freePort();
  const daemon = stack.use(
    await startDaemon({
      configDir: "",
      secured,
      args: [`--orchconfig=${cluster.files.daemonKubeconfig}`],
      env: { ROOT_CA_DIR: `${dir}/ca` },
    }),
  );
  const edge = stack.use(watchSecrets({
    target: `localhost:${secured}`,
    tls: { ca: pem },
    token: await tokenOf(client, "shop/edge"),
    account: "edge",
    names: NAMES,
  }));
  const scene = { cluster, client, made, edge };
  await t.step("a grant gives a secret of another namespace, and takes it", () => {
    return followsGrants(scene);
  });
  await t.step("a renewed, a faulty and a deleted secret", () => followsContents(scene));
  await t.step("authorities in a ConfigMap", () => followsConfigMaps(scene));
  await t.step("a client without an identity gets none", async () => {
    await using nobody = watchSecrets({ target: daemon.xds, account: "edge", names: NAMES });
    await nobody.answered;
    assert.deepEqual([...nobody.held.keys()], []);
  });
  await t.step("without the Gateway, they are withdrawn", async () => {
    await kubectl(cluster, ["delete", `gateways.${GROUP}`, "edge", "-n", "shop"]);
    await holds(edge);
    assert.ok(!daemon.program.output().includes("PRIVATE KEY"));
  });
}, { missing: lackingGatewayApiDefinitions() });
