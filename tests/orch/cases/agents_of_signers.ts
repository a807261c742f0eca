/**
 * `EXTERNAL_CA` with real agents and Envoys: certificates of two signers, and a signer that fails.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { OrchClient } from "../../../lib/kit/orch/mod.ts";
import { applyDefinitions } from "../../../scripts/crds.ts";
import {
  type Agent,
  call,
  type Cluster,
  type Daemon,
  eventually,
  startBackend,
} from "../../../scripts/harness/mod.ts";
import { STRICT_HOST, strictMesh } from "../../e2e/security/strict_mesh.ts";
import { type CertifiedAgent, startCertifiedAgent } from "../../support/identity.ts";
import { createAccounts, tokenOf } from "../../support/service_accounts.ts";
import type { SignerAnswer, TestSigner } from "../../support/test_signer.ts";

const SERVER = "127.0.47.1";
const CLIENT = "127.0.47.2";
const KINDS = ["ServiceEntry", "Sidecar", "PeerAuthentication"];

/** A daemon whose certificates are of signers. */
export interface SignedMesh {
  readonly cluster: Cluster;
  /** Folder for files of agents. */
  readonly dir: string;
  readonly daemon: Daemon;
  /** `host:port` of the secured listener. */
  readonly target: string;
  /** The signer of `ORCH_SIGNER`. */
  readonly first: TestSigner;
  /** The signer named `late`, with a root of its own. */
  readonly second: TestSigner;
  /** Answers of the first signer by full names. */
  readonly answers: Record<string, SignerAnswer>;
}

/** Runs the cases. */
export async function agentsOfSigners(
  mesh: SignedMesh,
  client: OrchClient,
  t: Deno.TestContext,
): Promise<void> {
  await createAccounts(client, ["shop/shop", "web/web"]);
  const starter = {
    dir: mesh.dir,
    root: mesh.first.root,
    xds: mesh.target,
    issuer: { token: (namespace: string, name: string) => tokenOf(client, `${namespace}/${name}`) },
  };
  const start = (agent: CertifiedAgent) => startCertifiedAgent(starter, agent);
  await mutualTls(mesh, { client, start }, t);
  await failing(mesh, start, t);
}

type Start = (agent: CertifiedAgent) => Promise<Agent>;

async function mutualTls(
  { cluster, first, second, dir }: SignedMesh,
  { client, start }: { readonly client: OrchClient; readonly start: Start },
  t: Deno.TestContext,
): Promise<void> {
  await t.step("agents with MESH_META_CERT_SIGNER and without it talk mutual TLS", async () => {
    await using stack = new AsyncDisposableStack();
    await applyDefinitions(client, KINDS);
    const backend = stack.use(startBackend("shop"));
    const { port } = backend;
    const objects = strictMesh({ server: SERVER, client: CLIENT, unused: "127.0.47.3", port });
    const applied = await cluster.run(["apply", "-f", "-"], objects);
    assert.ok(applied.success, applied.text);
    const before = [first.answered(), second.answered()];
    const shared = { role: "sidecar", interception: "NONE" } as const;
    const server = { ...shared, name: "shop", namespace: "shop", ip: SERVER };
    stack.use(await start({ ...server, labels: { app: "shop" } }));
    const env = { MESH_META_CERT_SIGNER: "late", OUTPUT_CERTS: "." };
    stack.use(await start({ ...shared, name: "web", namespace: "web", ip: CLIENT, env }));
    const ask = (address: string) => call(`http://${address}:${port}/`, { host: STRICT_HOST });
    const isServed = () => ask(CLIENT).then(({ status }) => status === 200, () => false);
    const isRefused = () => ask(SERVER).then(() => false, () => true);
    // The daemon receives the policy later than the service, because its type is new.
    await eventually(
      "a request over mutual TLS, and a refusal without it",
      async () => await isServed() && await isRefused() && await isServed(),
      60_000,
    );
    assert.deepEqual([first.answered(), second.answered()], before.map((count) => count + 1));
    const roots = await Deno.readTextFile(`${dir}/web/root-cert.pem`);
    for (const { root } of [first, second]) assert.ok(roots.includes(root.trim()));
  });
}

async function failing(
  { answers, daemon: { program } }: SignedMesh,
  start: Start,
  t: Deno.TestContext,
): Promise<void> {
  await t.step("an agent retries with growing pauses until its signer signs", async () => {
    await using agent = await start({
      role: "sidecar",
      name: "web",
      namespace: "web",
      ip: CLIENT,
      noWait: true,
      env: { DISABLE_DATAPROXY: "true", MESH_META_CERT_SIGNER: "repaired" },
    });
    for (const retryMs of [500, 1000]) {
      await agent.program.printed(
        new RegExp(
          `no certificate was obtained.*CSR signing error \\(the signer failed\\).*${retryMs}`,
        ),
      );
    }
    await program.printed(/repaired: Failed: the policy of.*signer's log/);
    answers["signers.example.com/repaired"] = "signs";
    await agent.program.printed(/obtained a certificate.*ns\/web\/sa\/web/);
  });
}
