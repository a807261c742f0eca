/**
 * Identity by a real API server: tokens of service accounts, the authority in secrets, signers of
 * the orchestrator, certificates for workloads on a node.
 */
import assert from "node:assert/strict";
import { deleteObject, type OrchClient, types } from "../../lib/kit/orch/mod.ts";
import { readCertificates } from "../../lib/kit/pki/mod.ts";
import { type Cluster, freePort, startDaemon } from "../../scripts/harness/mod.ts";
import { authoritySecrets } from "./cases/authority_secrets.ts";
import { DOMAIN, signers } from "./cases/signers.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { requestCertificate, writePluggedCa } from "../support/identity.ts";
import { discover } from "../support/secured_client.ts";
import { createAccounts, createPod, tokenOf } from "../support/service_accounts.ts";
import { metricOf } from "../support/views.ts";

const REFUSED = "UNAUTHENTICATED authentication failure";

clusterTest(
  "tokens of service accounts, the authority in secrets, and signers",
  async (cluster, t) => {
    using client = await adminClient(cluster);
    await createAccounts(client, [
      "shop/cart",
      "shop/gone",
      "shop/web",
      "mesh-system/node",
      "mesh-system/other",
    ]);
    await authoritySecrets(client, t);
    await signers(cluster, client, t);
    await tokens(cluster, client, t);
  },
  { roles: { signers: [`${DOMAIN}/*`] } },
);

async function tokens(cluster: Cluster, client: OrchClient, t: Deno.TestContext): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-identity-" });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const { certificate: { pem: ca } } = await writePluggedCa(dir);
  const secured = freePort();
  const target = `localhost:${secured}`;
  const daemon = stack.use(
    await startDaemon({
      configDir: "",
      secured,
      args: [`--orchconfig=${cluster.files.daemonKubeconfig}`],
      env: { ROOT_CA_DIR: dir, CA_TRUSTED_NODE_ACCOUNTS: "mesh-system/node" },
    }),
  );
  const certified = (token: string, wanted?: string) =>
    requestCertificate(target, { ca }, token, wanted).then(
      ({ cert }) => readCertificates(cert, "leaf")[0]!.uris.join(),
      (error) => `${error.status} ${error.details}`,
    );
  const none = "UNAUTHENTICATED request authenticate failure";

  await t.step("a token of the account gives a certificate and discovery", async () => {
    const token = await tokenOf(client, "shop/cart");
    assert.equal(await certified(token), "spiffe://cluster.local/ns/shop/sa/cart");
    assert.equal(await discover({ target, tls: { ca }, token }), "served");
    assert.equal(await discover({ target, tls: { ca }, token, cluster: "Orchestrator" }), "served");
    const foreign = { target, tls: { ca }, token, namespace: "bank" };
    assert.equal(await discover(foreign), "UNAUTHENTICATED authorization failed");
    const reviews = await metricOf(daemon, "mesh_authn_token_reviews_total");
    assert.ok(reviews !== undefined && reviews > 0, `${reviews}`);
  });

  await t.step("refused: another audience, another cluster, no token of the server", async () => {
    const other = await tokenOf(client, "shop/cart", { audiences: ["other"] });
    assert.equal(await certified(other), none);
    assert.equal(await discover({ target, tls: { ca }, token: other }), REFUSED);
    await daemon.program.printed(/audience mesh-ca.*other/);
    const token = await tokenOf(client, "shop/cart");
    assert.equal(await discover({ target, tls: { ca }, token, cluster: "far" }), REFUSED);
    assert.equal(await certified(`${token}x`), none);
    assert.ok(!daemon.program.output().includes(token));
  });

  await t.step("refused: tokens of deleted accounts and pods", async () => {
    // Without a node, so that no grace period waits for a kubelet.
    const pod = await createPod(client, "shop/cart", "cart-1");
    const bound = await tokenOf(client, "shop/cart", { pod });
    const gone = await tokenOf(client, "shop/gone");
    await deleteObject(client, types.POD, { namespace: "shop", name: "cart-1" });
    await deleteObject(client, types.SERVICE_ACCOUNT, { namespace: "shop", name: "gone" });
    assert.equal(await certified(bound), none);
    assert.equal(await certified(gone), none);
  });

  await t.step(
    "CA_TRUSTED_NODE_ACCOUNTS: certificates for pods of the caller's node only",
    async () => {
      const refused = "UNAUTHENTICATED request impersonation authentication failure";
      await createPod(client, "shop/cart", "cart-2", "n1");
      await createPod(client, "shop/web", "web-1", "n2");
      const agent = await createPod(client, "mesh-system/node", "node-1", "n1");
      const other = await createPod(client, "mesh-system/other", "other-1", "n1");
      const token = await tokenOf(client, "mesh-system/node", { pod: agent });
      assert.equal(await certified(token), "spiffe://cluster.local/ns/mesh-system/sa/node");
      assert.equal(await certified(token, ID_OF_CART), ID_OF_CART);
      const elsewhere = "spiffe://cluster.local/ns/shop/sa/web";
      assert.equal(await certified(token, elsewhere), refused);
      assert.equal(await certified(token, "spiffe://other.domain/ns/shop/sa/cart"), refused);
      assert.equal(await certified(await tokenOf(client, "mesh-system/node"), ID_OF_CART), refused);
      const untrusted = await tokenOf(client, "mesh-system/other", { pod: other });
      assert.equal(await certified(untrusted, ID_OF_CART), refused);
    },
  );

  await t.step("without the API server: no token is accepted, certificates still are", async () => {
    const token = await tokenOf(client, "shop/cart");
    const { cert, key } = await requestCertificate(target, { ca }, token);
    await cluster.apiServer.stop("SIGKILL");
    const fresh = `${token}x`;
    assert.equal(await certified(fresh), none);
    await daemon.program.printed(/cannot verify the token/);
    assert.equal(await discover({ target, tls: { ca, cert, key } }), "served");
    cluster.apiServer.start();
    await cluster.ready();
    assert.equal(await certified(await tokenOf(client, "shop/cart")), ID_OF_CART);
  });
}

const ID_OF_CART = "spiffe://cluster.local/ns/shop/sa/cart";
