/**
 * `EXTERNAL_CA`: certificates by signers of the orchestrator, with a real API server and a signer
 * that the test plays.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  listAll,
  type OrchClient,
  type OrchObject,
  requestCertificate,
  types,
} from "../../../lib/kit/orch/mod.ts";
import { createCsr, generateKey, readCertificates } from "../../../lib/kit/pki/mod.ts";
import { type Cluster, eventually, freePort, startDaemon } from "../../../scripts/harness/mod.ts";
import { requestWith, type WorkloadCertificate } from "../../support/identity.ts";
import { discover } from "../../support/secured_client.ts";
import { tokenOf } from "../../support/service_accounts.ts";
import { agentsOfSigners, type SignedMesh } from "./agents_of_signers.ts";
import { startTestSigner } from "../../support/test_signer.ts";

export const DOMAIN = "signers.example.com";
const MAIN = `${DOMAIN}/main`;
const UNUSABLE = "INTERNAL CSR signing error (the signer, or its certificate, cannot be used)";
const ID = "spiffe://cluster.local/ns/shop/sa/cart";
/** A request to the signer that does not answer ends after this time. */
const SIGNER_TIMEOUT = "20s";

/** A daemon whose workloads' certificates come from signers. */
interface Bench extends SignedMesh {
  readonly token: string;
  /** Writes the mesh configuration: the roots of the first signer and more. */
  readonly write: (...more: unknown[]) => Promise<void>;
  readonly request: (signer?: string, uris?: readonly string[]) => Promise<WorkloadCertificate>;
  /** Status and text of a refused request. */
  readonly refused: (signer?: string, uris?: readonly string[]) => Promise<string>;
}

/** Runs the cases. */
export async function signers(
  cluster: Cluster,
  client: OrchClient,
  t: Deno.TestContext,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const bench = await start(cluster, client, stack);
  const silent = bench.refused("silent");
  await signed(bench, t);
  await agentsOfSigners(bench, client, t);
  await silentAtStart(bench, t);
  await refusals(bench, client, t);
  await t.step("a signer that does not answer harms nothing else; no request is left", async () => {
    const { daemon: { program }, token, request } = bench;
    assert.equal(await silent, "INTERNAL CSR signing error (the signer did not answer in time)");
    await program.printed(/silent did not answer.*controller of this signer/);
    assert.ok((await request()).cert);
    assert.ok(!program.output().includes(token));
    await eventually(
      "the deletion of the requests",
      async () => (await listAll(client, types.CERTIFICATE_REQUEST)).length === 0,
    );
  });
}

async function start(
  cluster: Cluster,
  client: OrchClient,
  stack: AsyncDisposableStack,
): Promise<Bench> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-signers-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const answers: SignedMesh["answers"] = {
    [MAIN]: "signs",
    [`${DOMAIN}/strict`]: "fails",
    [`${DOMAIN}/repaired`]: "fails",
    [`${DOMAIN}/wrong`]: "signs other names",
  };
  const first = stack.use(await startTestSigner(client, answers));
  const second = stack.use(await startTestSigner(client, { [`${DOMAIN}/late`]: "signs" }));
  const meshConfig = `${dir}/mesh.json`;
  const names = ["main", "strict", "repaired", "wrong", "silent"].map((name) =>
    `${DOMAIN}/${name}`
  );
  const own = { pem: first.root, certSigners: names };
  const write = (...more: unknown[]) =>
    Deno.writeTextFile(meshConfig, JSON.stringify({ caCertificates: [own, ...more] }));
  await write();
  const secured = freePort();
  const target = `localhost:${secured}`;
  const args = [`--orchconfig=${cluster.files.daemonKubeconfig}`, `--meshConfig=${meshConfig}`];
  const env = {
    EXTERNAL_CA: "MESHD_RA_ORCH_API",
    ORCH_SIGNER: MAIN,
    CERT_SIGNER_DOMAIN: DOMAIN,
    PILOT_CERT_PROVIDER: `orch.io/${MAIN}`,
    MESHCA_SIGNER_TIMEOUT: SIGNER_TIMEOUT,
  };
  const daemon = stack.use(await startDaemon({ configDir: "", secured, args, env }));
  const token = await tokenOf(client, "shop/cart");
  const request: Bench["request"] = (signer, uris = [ID]) =>
    requestWith(target, {
      tls: { ca: first.root },
      token,
      uris,
      metadata: signer === undefined ? {} : { CertSigner: signer },
    });
  const refused: Bench["refused"] = async (signer, uris) =>
    await request(signer, uris).then(
      () => "a certificate",
      (error) => `${error.status} ${error.details}`,
    );
  return { cluster, dir, daemon, target, token, first, second, answers, write, request, refused };
}

async function signed(bench: Bench, t: Deno.TestContext): Promise<void> {
  const { daemon, target, first, second, write, request, refused } = bench;
  const tls = { ca: first.root };
  await t.step("ORCH_SIGNER signs for workloads, PILOT_CERT_PROVIDER for the daemon", async () => {
    const { cert, key, root } = await request();
    const [leaf] = readCertificates(cert, "leaf");
    assert.deepEqual(leaf!.uris, [ID]);
    assert.equal(root, first.root);
    assert.equal(await discover({ target, tls: { ...tls, cert, key } }), "served");
    assert.equal(first.answered(), 2, "one for the daemon, one for the workload");
  });

  await t.step("an unknown signer is refused until the mesh configuration names it", async () => {
    assert.equal(await refused("late"), UNUSABLE);
    await daemon.program.printed(/late is unknown.*certSigners/);
    await write({ pem: second.root, certSigners: [`${DOMAIN}/late`] });
    const chain = await eventually(
      "a certificate of the new signer",
      () => request("late").catch(() => undefined),
    );
    assert.equal(chain.root, second.root);
    assert.ok(chain.cert.includes(first.root), "agents receive the roots of all signers");
    assert.equal(await discover({ target, tls: { ...tls, ...chain } }), "served");
  });
}

async function silentAtStart(
  { cluster, dir, answers, first, token }: Bench,
  t: Deno.TestContext,
): Promise<void> {
  await t.step(
    "a signer that is silent at the start: plain discovery is served, the rest follows",
    async () => {
      // The roots are in the mounted file, and the mesh configuration names no signer.
      await Deno.mkdir(`${dir}/cwd/etc/external-ca-cert`, { recursive: true });
      await Deno.writeTextFile(`${dir}/cwd/etc/external-ca-cert/root-cert.pem`, first.root);
      const secured = freePort();
      const target = `localhost:${secured}`;
      await using daemon = await startDaemon({
        configDir: "",
        secured,
        cwd: `${dir}/cwd`,
        noWait: true,
        args: [`--orchconfig=${cluster.files.daemonKubeconfig}`],
        env: {
          EXTERNAL_CA: "MESHD_RA_ORCH_API",
          ORCH_SIGNER: `${DOMAIN}/asleep`,
          PILOT_CERT_PROVIDER: `orch.io/${DOMAIN}/asleep`,
          MESHCA_SIGNER_TIMEOUT: "1s",
        },
      });
      const { program, xds, http } = daemon;
      await program.printed(/not ready yet.*certificate of the secured listener/);
      assert.equal(await discover({ target: xds, tls: undefined }), "served");
      const ready = await fetch(`${http}/ready`);
      assert.equal(ready.status, 503);
      assert.match(await ready.text(), /^waiting for the certificate of the secured listener/m);
      await program.printed(/asleep did not answer in 1000 ms.*controller of this signer/);
      answers[`${DOMAIN}/asleep`] = "signs";
      await eventually("readiness", async () => {
        const { status, body } = await fetch(`${http}/ready`);
        await body?.cancel();
        return status === 200;
      }, 60_000);
      const tls = { ca: first.root };
      const { cert, key, root } = await requestWith(target, {
        tls,
        token,
        uris: [ID],
        metadata: {},
      });
      assert.equal(root, first.root);
      assert.equal(await discover({ target, tls: { ...tls, cert, key } }), "served");
    },
  );
}

async function refusals(
  { daemon: { program }, refused }: Bench,
  client: OrchClient,
  t: Deno.TestContext,
): Promise<void> {
  await t.step("refused: CSRs with other names, and certificates with other names", async () => {
    const other = "spiffe://cluster.local/ns/shop/sa/web";
    assert.equal(await refused(undefined, []), "INVALID_ARGUMENT CSR signing error (CSR)");
    assert.equal(await refused(undefined, [other]), "INVALID_ARGUMENT CSR signing error (CSR)");
    assert.equal(await refused(undefined, [ID, other]), "INVALID_ARGUMENT CSR signing error (CSR)");
    assert.equal(await refused("../main"), UNUSABLE);
    assert.equal(await refused("wrong"), UNUSABLE);
    await program.printed(/wrong cannot be used: it has other names/);
  });

  await t.step("a signer that fails or denies gives its reason", async () => {
    assert.equal(await refused("strict"), "INTERNAL CSR signing error (the signer failed)");
    await program.printed(/strict: Failed: the policy of.*signer's log/);
    await assert.rejects(denied(client), {
      code: "orch-signing-denied",
      message: /Denied: not today/,
    });
  });
}

/** A request that somebody denies before it is approved. */
async function denied(client: OrchClient): Promise<string> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const signer = `${DOMAIN}/denied`;
  const answer = requestCertificate(client, {
    csr: await createCsr(key, []),
    signer,
    usages: ["client auth"],
    approve: false,
    timeoutMs: 60_000,
  });
  answer.catch(() => {});
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const found = await eventually("the request", async () => {
    const all = await listAll<OrchObject & { spec: { signerName: string } }>(
      client,
      types.CERTIFICATE_REQUEST,
    );
    return all.find(({ spec }) => spec.signerName === signer);
  });
  const condition = { type: "Denied", status: "True", reason: "Test", message: "not today" };
  await client.json({
    method: "PUT",
    path: `${path}/${found.metadata.name}/approval`,
    body: {
      ...found,
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      status: { conditions: [condition] },
    },
  });
  return await answer;
}
