/**
 * Cases of mutual TLS between two Envoys: pods, Services, policies and tokens are those of an API
 * server.
 *
 * @module
 */
import assert from "node:assert/strict";
import { createObject, mergePatch, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import { type Agent, call, eventually, startBackend } from "../../../scripts/harness/mod.ts";
import { startCertifiedAgent } from "../../support/identity.ts";
import { createAccounts, tokenOf } from "../../support/service_accounts.ts";

const CLIENT = "127.0.46.2";
const UNUSED = "127.0.46.3";
const VAULT = "vault.bank.svc.cluster.local";
/** A Service of the type ExternalName with the host of the other one. */
const ALIAS = "safe.shop.svc.cluster.local";

/** Both Services, listeners for both proxies, and policies. `PORT` is the port of the server. */
const OBJECTS = `
apiVersion: v1
kind: Service
metadata: {name: vault, namespace: bank}
spec:
  selector: {app: vault}
  ports: [{name: http, port: PORT, targetPort: PORT}]
---
apiVersion: v1
kind: Service
metadata: {name: safe, namespace: shop}
spec: {type: ExternalName, externalName: ${VAULT}}
---
apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: teller, namespace: shop}
spec:
  workloadSelector: {labels: {app: teller}}
  egress:
  - port: {number: PORT, protocol: HTTP, name: http}
    bind: ${CLIENT}
    captureMode: NONE
    hosts: ["./*", "bank/*"]
---
apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: vault, namespace: bank}
spec:
  egress:
  - port: {number: 9, protocol: TCP, name: tcp}
    bind: ${UNUSED}
    captureMode: NONE
    hosts: ["./*"]
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: bank}
spec: {mtls: {mode: STRICT}}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: closed, namespace: bank}
spec:
  action: DENY
  rules:
  - from: [{source: {principals: [cluster.local/ns/shop/sa/teller]}}]
    to: [{operation: {paths: [/closed]}}]
`;

/** Inputs of the cases. */
export interface MutualTlsInput {
  readonly client: OrchClient;
  readonly apply: (text: string) => Promise<void>;
  /** Root of the daemon's authority, PEM. */
  readonly root: string;
  /** Folder for files. */
  readonly dir: string;
  /** `host:port` of the daemon's secured listener. */
  readonly xds: string;
  /** Address of this machine outside its loopback network, which becomes that of the pod. */
  readonly address: string;
}

/** Runs the cases. */
export async function mutualTls(
  { client, apply, root, dir, xds, address }: MutualTlsInput,
): Promise<void> {
  await createAccounts(client, ["bank/vault", "shop/teller"]);
  await using backend = startBackend("vault");
  const { port } = backend;
  await apply(OBJECTS.replaceAll("PORT", `${port}`));
  await makePod(client, address);
  await using stack = new AsyncDisposableStack();
  const start = async (name: string, namespace: string, ip: string): Promise<Agent> => {
    const issuer = { token: (of: string, account: string) => tokenOf(client, `${of}/${account}`) };
    return stack.use(
      await startCertifiedAgent({ issuer, root, dir, xds }, {
        role: "sidecar",
        name,
        namespace,
        labels: { app: name },
        ip,
        interception: "NONE",
      }),
    );
  };
  await start("vault", "bank", address);
  await start("teller", "shop", CLIENT);
  const ask = (path: string, host: string) =>
    call(`http://${CLIENT}:${port}${path}`, { host }).then(({ status }) => status);
  for (const host of [VAULT, ALIAS]) {
    await eventually(`a request to ${host} over mutual TLS`, async () => {
      return await ask("/", host) === 200;
    }, 120_000);
    assert.equal(await ask("/closed", host), 403, "the server knows the account of the client");
  }
  await assert.rejects(call(`http://${address}:${port}/`, { host: VAULT }), "STRICT");
  await apply(`
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: bank}
spec: {mtls: {mode: DISABLE}}
`);
  await eventually("a request without a certificate", async () => {
    return (await call(`http://${address}:${port}/`, { host: VAULT })).status === 200;
  }, 60_000);
  await eventually("plain requests of the client", async () => {
    // Without a certificate the server does not know the account that the policy denies.
    return await ask("/closed", VAULT).catch(() => 0) === 200;
  }, 60_000);
}

async function makePod(client: OrchClient, address: string): Promise<void> {
  const pod = { namespace: "bank", name: "vault" };
  const labels = { app: "vault", "security.mesh.io/tlsMode": "mesh" };
  await createObject(client, types.POD, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...pod, labels },
    spec: {
      nodeName: "n1",
      serviceAccountName: "vault",
      containers: [{ name: "c", image: "none" }],
    },
  } as never);
  await mergePatch(client, types.POD, { ...pod, subresource: "status" }, {
    status: {
      phase: "Running",
      podIP: address,
      podIPs: [{ ip: address }],
      conditions: [{ type: "Ready", status: "True" }],
    },
  });
}
