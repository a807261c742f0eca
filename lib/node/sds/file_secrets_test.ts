/**
 * Secrets of files over SDS, and mounted certificates, with real files and sockets.
 */
import assert from "node:assert/strict";
import { watchFiles } from "./watch.ts";
import { eventually } from "../../../scripts/harness/mod.ts";
import {
  generateKey,
  issueAuthority,
  issueLeaf,
  type Issuer,
  privateKeyPem,
} from "../../kit/pki/mod.ts";
import { expose } from "../../kit/metrics/mod.ts";
import { encode, fromBinary } from "../../kit/proto/mod.ts";
import { openStream } from "../../kit/rpc/mod.ts";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { type Secret, SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { useEnvironment } from "../../kit/env/mod.ts";
import { daemonTls, startMountedCertificates, startSds, type WorkloadCertificates } from "./mod.ts";
import { SYSTEM_ROOTS } from "./pem_files.ts";

const METHOD = "/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets";
const validity = { notBefore: Date.now() - 1000, notAfter: Date.now() + 3_600_000 };

const NONE: WorkloadCertificates = {
  current: () => ({ chain: "chain", key: "key", roots: "roots", version: "0", rootsVersion: "0" }),
  onChange: () => () => {},
  stop() {},
};

async function authority(): Promise<Issuer> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  return { key, certificate: await issueAuthority({ organization: "a", key, ...validity }) };
}

/** Writes a new pair and the root; returns the chain. */
async function writePair(dir: string, issuer: Issuer): Promise<string> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const uris = ["spiffe://a/ns/b/sa/c"];
  const leaf = await issueLeaf({ spki: key.spki, uris, ...validity }, issuer);
  await Deno.writeTextFile(`${dir}/key.pem`, await privateKeyPem(key, "traditional"));
  await Deno.writeTextFile(`${dir}/cert-chain.pem`, leaf.pem);
  await Deno.writeTextFile(`${dir}/root-cert.pem`, issuer.certificate.pem);
  return leaf.pem;
}

/** A stream for names: the secrets of its next response. */
function subscribe(socket: string, ...resourceNames: string[]) {
  const stream = openStream({ target: `unix:${socket}`, path: METHOD });
  const answers = stream.messages[Symbol.asyncIterator]();
  stream.send(encode(DiscoveryRequestSchema, { resourceNames }));
  return {
    async next(): Promise<Secret[]> {
      const { value } = await answers.next();
      const { resources } = fromBinary(DiscoveryResponseSchema, value!);
      return resources.map((resource) => fromBinary(SecretSchema, resource.value));
    },
    async [Symbol.asyncDispose]() {
      stream.close();
      await stream.ended;
    },
  };
}

function chainOf({ type }: Secret): unknown {
  assert.equal(type.case, "tlsCertificate");
  return type.value.certificateChain?.specifier.value;
}

Deno.test("secrets of files are served, again after a change, and not while they are faulty", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const issuer = await authority();
  const socket = `${dir}/socket`;
  const sds = await startSds({ socket, certificates: NONE, debounceMs: 20 });
  stack.defer(() => sds.stop());
  const files = `${dir}/files`;
  await Deno.mkdir(files);
  const first = await writePair(files, issuer);
  const pair = `file-cert:${files}/cert-chain.pem~${files}/key.pem`;
  const roots = `file-root:${files}/root-cert.pem`;
  await using one = stack.use(subscribe(socket, pair));
  const [secret] = await one.next();
  assert.equal(secret!.name, pair);
  assert.equal(chainOf(secret!), first);
  await using other = subscribe(socket, roots);
  const [root] = await other.next();
  assert.equal(root!.type.case, "validationContext");
  assert.deepEqual(root!.type.value.trustedCa?.specifier.value, issuer.certificate.pem);
  const metrics = async () => (await expose()).body;
  assert.match(await metrics(), /cert_expiry_seconds\{resource_name="file-cert:[^"]+"\} 3[0-9]{3}/);

  // A key of another certificate is not served; the next good pair is.
  const foreign = await generateKey({ type: "ecdsa", curve: "P256" });
  await Deno.writeTextFile(`${files}/key.pem`, await privateKeyPem(foreign, "pkcs8"));
  await eventually(
    "the faulty key to be noticed",
    async () => /num_file_secret_failures_total [1-9]/.test(await metrics()),
  );
  const second = await writePair(files, issuer);
  assert.equal(chainOf((await one.next())[0]!), second);
});

const system = await Deno.readTextFile(SYSTEM_ROOTS).catch(() => undefined);
Deno.test({
  name: "the roots of the operating system are served, and verify the daemon",
  ignore: system === undefined,
  async fn() {
    await using stack = new AsyncDisposableStack();
    const dir = await Deno.makeTempDir();
    stack.defer(() => Deno.remove(dir, { recursive: true }));
    const socket = `${dir}/socket`;
    const sds = await startSds({ socket, certificates: NONE, debounceMs: 20 });
    stack.defer(() => sds.stop());
    await using stream = stack.use(subscribe(socket, "file-root:system"));
    const [secret] = await stream.next();
    assert.equal(secret!.name, "file-root:system");
    assert.equal(secret!.type.case, "validationContext");
    assert.equal(secret!.type.value.trustedCa?.specifier.value, system);
    using _ = useEnvironment({ XDS_ROOT_CA: "SYSTEM" });
    assert.equal((await daemonTls()).ca, system);
  },
});

Deno.test("names that are no files of certificates are refused, and missing files are waited for", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const socket = `${dir}/socket`;
  const sds = await startSds({ socket, certificates: NONE, debounceMs: 10 });
  stack.defer(() => sds.stop());
  for (const name of ["file-cert:a", "file-cert:~b", "file-cert:a~b~c", "file-root:", "x", ""]) {
    await using stream = subscribe(socket, name);
    await assert.rejects(stream.next(), { status: "INVALID_ARGUMENT" }, name);
  }
  await using later = stack.use(
    subscribe(socket, `file-cert:${dir}/cert-chain.pem~${dir}/key.pem`),
  );
  const chain = await writePair(dir, await authority());
  assert.equal(chainOf((await later.next())[0]!), chain);
});

Deno.test("mounted certificates are waited for and followed; a faulty change keeps the last ones", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const files = {
    chain: `${dir}/cert-chain.pem`,
    key: `${dir}/key.pem`,
    roots: `${dir}/root-cert.pem`,
  };
  const ending = new AbortController();
  const none = startMountedCertificates({ files, debounceMs: 10 }, ending.signal);
  ending.abort();
  assert.equal(await none, undefined);
  const issuer = await authority();
  const first = await writePair(dir, issuer);
  const certificates = await startMountedCertificates(
    { files, debounceMs: 10 },
    new AbortController().signal,
  );
  assert.ok(certificates);
  stack.defer(() => certificates.stop());
  assert.equal(certificates.current().chain, first);
  assert.equal(certificates.current().roots, issuer.certificate.pem);
  const renewed = Promise.withResolvers<void>();
  certificates.onChange(() => renewed.resolve());
  await Deno.writeTextFile(files.chain, "no certificate");
  assert.equal(certificates.current().chain, first);
  const second = await writePair(dir, issuer);
  await renewed.promise;
  assert.equal(certificates.current().chain, second);
});

Deno.test("num_file_watcher_failures_total: folders that cannot be watched", async () => {
  const failures = async () =>
    Number(/^num_file_watcher_failures_total (\d+)/m.exec((await expose()).body)?.[1]);
  const before = await failures();
  watchFiles({ paths: ["/none/cert.pem", "/none/key.pem"], debounceMs: 10, changed() {} })();
  assert.equal(await failures(), before + 1);
});
