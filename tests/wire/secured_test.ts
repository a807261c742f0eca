/**
 * The secured listener of a real daemon: certificates by token, discovery with a certificate, and
 * whose streams are refused.
 *
 * @module
 */
import assert from "node:assert/strict";
import { encode } from "../../lib/kit/proto/mod.ts";
import { openStream, type RpcClientTls, RpcError } from "../../lib/kit/rpc/mod.ts";
import { readCertificates } from "../../lib/kit/pki/mod.ts";
import {
  type Daemon,
  type DaemonOptions,
  eventually,
  freePort,
  makeConfigDir,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import {
  requestCertificate,
  startTokenIssuer,
  type TokenIssuer,
  writePluggedCa,
} from "../support/identity.ts";
import { openssl } from "../support/openssl.ts";
import { metricOf } from "../support/views.ts";

const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
const CLUSTERS = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

/** A daemon with a secured listener, a plugged-in authority and an issuer of tokens. */
interface Secured {
  readonly daemon: Daemon;
  readonly issuer: TokenIssuer;
  /** `host:port` of the secured listener. */
  readonly target: string;
  /** The daemon's root, PEM. */
  readonly ca: string;
  readonly caDir: string;
}

async function withDaemon(
  options: Partial<DaemonOptions>,
  run: (secured: Secured) => Promise<void>,
): Promise<void> {
  await using dir = await makeConfigDir();
  await using issuer = await startTokenIssuer();
  const caDir = await Deno.makeTempDir({ prefix: "mesh-secured-" });
  try {
    const { certificate } = await writePluggedCa(caDir);
    const secured = freePort();
    await using daemon = await startDaemon({
      configDir: dir.path,
      secured,
      ...options,
      env: { JWT_RULE: issuer.rule, ROOT_CA_DIR: caDir, ...options.env },
    });
    await run({ daemon, issuer, target: `localhost:${secured}`, ca: certificate.pem, caDir });
  } finally {
    await Deno.remove(caDir, { recursive: true });
  }
}

interface Asked {
  readonly target: string;
  readonly tls?: RpcClientTls;
  readonly token?: string;
  readonly namespace?: string;
  readonly account?: string;
  /** The namespace in its metadata. */
  readonly claimed?: string;
}

/** Opens a stream of a proxy: `served`, or the status and text that it ended with. */
async function discover(
  { target, tls, token, namespace = "shop", account, claimed }: Asked,
): Promise<string> {
  const stream = openStream({
    target,
    tls,
    path: METHOD,
    ...token !== undefined && { metadata: { authorization: `Bearer ${token}` } },
  });
  stream.send(encode(DeltaDiscoveryRequestSchema, {
    node: {
      id: `sidecar~10.0.0.1~cart.${namespace}~${namespace}.svc.cluster.local`,
      metadata: {
        ...account !== undefined && { SERVICE_ACCOUNT: account },
        ...claimed !== undefined && { NAMESPACE: claimed },
      },
    },
    typeUrl: CLUSTERS,
  }));
  try {
    for await (const _ of stream.messages) return "served";
    return "ended";
  } catch (error) {
    assert.ok(error instanceof RpcError);
    return `${error.status} ${error.details}`;
  } finally {
    stream.close();
    await stream.ended;
  }
}

Deno.test("a workload gets a certificate by token and discovery by certificate, for itself only", () =>
  withDaemon({}, async ({ daemon, issuer, target, ca }) => {
    const token = await issuer.token("shop", "cart");
    const { cert, key, root } = await requestCertificate(target, { ca }, token);
    assert.equal(root, ca);
    const [leaf] = readCertificates(cert, "leaf");
    assert.deepEqual(leaf!.uris, ["spiffe://cluster.local/ns/shop/sa/cart"]);
    const { ok, text } = await openssl(["verify", "-x509_strict", "-CAfile", "@ca", "@leaf"], {
      ca,
      leaf: cert,
    });
    assert.ok(ok, text);
    const tls = { ca, cert, key };
    // The certificate also renews itself.
    assert.ok((await requestCertificate(target, tls)).cert);
    assert.equal(await discover({ target, tls }), "served");
    assert.equal(await discover({ target, tls, account: "cart" }), "served");
    assert.equal(await discover({ target, tls: { ca }, token }), "served");
    const failed = "UNAUTHENTICATED authorization failed";
    assert.equal(await discover({ target, tls, namespace: "other" }), failed);
    assert.equal(await discover({ target, tls, account: "admin" }), failed);
    assert.equal(await discover({ target, tls, claimed: "other" }), failed);
    const unknown = "UNAUTHENTICATED authentication failure";
    assert.equal(await discover({ target, tls: { ca } }), unknown);
    assert.equal(await discover({ target, tls: { ca }, token: "x.y.z" }), unknown);
    await assert.rejects(requestCertificate(target, { ca }), { status: "UNAUTHENTICATED" });
    // The plain port works without credentials and issues no certificates.
    assert.equal(await discover({ target: daemon.xds }), "served");
    await assert.rejects(requestCertificate(daemon.xds, undefined, token), {
      status: "UNIMPLEMENTED",
    });
    const metric = (name: string) => metricOf(daemon, `meshca_server_${name}`);
    assert.equal(await metric("success_cert_issuance_count"), 2);
    assert.equal(await metric("authentication_failure_count"), 1);
    assert.ok((await metric("root_cert_expiry_seconds"))! > 3600);
    const output = daemon.program.output();
    assert.ok(!output.includes(token) && !output.includes("PRIVATE KEY"));
  }));

Deno.test("a certificate of another root with a good name is refused, and so is another name of the daemon", () =>
  withDaemon({}, async ({ target, ca, issuer }) => {
    const other = await Deno.makeTempDir();
    const foreign = await writePluggedCa(other);
    const { issueLeaf, generateKey, privateKeyPem } = await import("../../lib/kit/pki/mod.ts");
    const key = await generateKey({ type: "ecdsa", curve: "P256" });
    const leaf = await issueLeaf({
      spki: key.spki,
      uris: ["spiffe://cluster.local/ns/shop/sa/cart"],
      notBefore: Date.now() - 1000,
      notAfter: Date.now() + 3_600_000,
    }, foreign);
    const tls = { ca, cert: leaf.pem, key: await privateKeyPem(key, "pkcs8") };
    assert.equal(await discover({ target, tls }), "UNAUTHENTICATED authentication failure");
    // A token does not help who shows a certificate that is not valid.
    const token = await issuer.token("shop", "cart");
    await assert.rejects(requestCertificate(target, tls, token), { status: "UNAUTHENTICATED" });
    const named = (serverName: string) => discover({ target, tls: { ca, serverName }, token });
    assert.equal(await named("meshd.mesh-system.svc"), "served");
    assert.match(await named("elsewhere"), /^UNAVAILABLE/);
    await Deno.remove(other, { recursive: true });
  }));

Deno.test("XDS_AUTH_PLAINTEXT authenticates the plain port; XDS_AUTH=false disables authentication; identity checks can be disabled", async () => {
  await withDaemon({ env: { XDS_AUTH_PLAINTEXT: "true" } }, async ({ daemon, issuer }) => {
    const target = daemon.xds;
    const token = await issuer.token("shop", "cart");
    assert.equal(await discover({ target }), "UNAUTHENTICATED authentication failure");
    assert.equal(await discover({ target, token }), "served");
    assert.ok((await requestCertificate(target, undefined, token)).cert);
  });
  await withDaemon({ env: { XDS_AUTH: "false" } }, async ({ target, ca }) => {
    assert.equal(await discover({ target, tls: { ca } }), "served");
  });
  const env = { PILOT_ENABLE_XDS_IDENTITY_CHECK: "false" };
  await withDaemon({ env }, async ({ target, ca, issuer }) => {
    const token = await issuer.token("shop", "cart");
    assert.equal(await discover({ target, tls: { ca }, token, namespace: "other" }), "served");
  });
});

Deno.test("the daemon's certificate: own names, a new root without a restart, allowed cipher suites", () =>
  withDaemon({
    args: ["--tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_RSA_WITH_RC4_128_SHA"],
    env: { MESHD_CUSTOM_HOST: "mesh.example, 192.0.2.7" },
  }, async ({ target, ca, caDir }) => {
    const shake = (suite: string, ca: string) =>
      openssl([
        ...[
          "s_client",
          "-connect",
          target,
          "-CAfile",
          "@ca",
          "-verify_return_error",
          "-alpn",
          "h2",
        ],
        ...["-tls1_3", "-ciphersuites", suite, "-showcerts"],
      ], { ca });
    const { text } = await shake("TLS_AES_128_GCM_SHA256", ca);
    assert.match(text, /Verify return code: 0/);
    const [leaf] = readCertificates(
      /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text)![0],
      "leaf",
    );
    const names = leaf!.names.map(({ value }) => value);
    for (const name of ["meshd.mesh-system.svc", "mesh.example", "192.0.2.7", "localhost"]) {
      assert.ok(names.includes(name), name);
    }
    assert.match(await discover({ target, tls: { ca } }), /^UNAVAILABLE|UNAUTHENTICATED/);
    const { certificate } = await writePluggedCa(caDir);
    await eventually("the daemon to use the new root", async () => {
      const { text } = await shake("TLS_AES_128_GCM_SHA256", certificate.pem);
      return /Verify return code: 0/.test(text);
    });
  }));
