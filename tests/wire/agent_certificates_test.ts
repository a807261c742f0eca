/**
 * The agent's certificates by its variables: a real agent without a proxy, and a real daemon.
 *
 * @module
 */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import {
  generateKey,
  issueAuthority,
  issueLeaf,
  privateKeyPem,
  readCertificates,
} from "../../lib/kit/pki/mod.ts";
import { startSds } from "../../lib/node/sds/mod.ts";
import {
  type Agent,
  eventually,
  freePort,
  makeConfigDir,
  startAgent,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import {
  requestCertificate,
  startTokenIssuer,
  type TokenIssuer,
  writePluggedCa,
} from "../support/identity.ts";
import { openssl } from "../support/openssl.ts";

const TOKEN = "var/run/secrets/tokens/mesh-token";
const ROOT = "var/run/secrets/mesh/root-cert.pem";
const SOCKETS = "var/run/secrets/workload-spiffe-uds";

/** A daemon, and what agents of it need. */
interface Bench {
  readonly dir: string;
  readonly issuer: TokenIssuer;
  /** The daemon's root, PEM. */
  readonly root: string;
  /** `host:port` of the secured listener. */
  readonly xds: string;
  readonly stack: AsyncDisposableStack;
}

/** Starts an agent without a proxy in a folder with these files. */
async function agentWith(
  { dir, xds, stack }: Bench,
  name: string,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<Agent> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(`${dir}/${name}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${dir}/${name}/${path}`, text);
  }
  return stack.use(
    await startAgent({
      role: "sidecar",
      name,
      namespace: "shop",
      ip: "127.0.0.1",
      xds,
      secured: true,
      envoy: "/none",
      dir,
      noWait: true,
      env: {
        DISABLE_DATAPROXY: "true",
        SERVICE_ACCOUNT: name,
        ECC_SIGNATURE_ALGORITHM: "ECDSA",
        // The agent asks the daemon over xDS when it starts.
        PROXY_CONFIG_XDS_AGENT: "true",
        ...env,
      },
    }),
  );
}

/** Waits until the agent has started, connected as an authenticated client. */
async function started({ program, status }: Agent): Promise<void> {
  await eventually("the agent to start", async () => {
    const answer = await fetch(`${status}/stats/prometheus`);
    await answer.body?.cancel();
    return answer.ok;
  }).catch((cause) => {
    throw new Error(program.output(), { cause });
  });
  assert.doesNotMatch(program.output(), /the daemon sent no ProxyConfig values/);
  assert.doesNotMatch(program.output(), /PRIVATE KEY/);
}

async function metricsOf({ status }: Agent): Promise<string> {
  return await (await fetch(`${status}/stats/prometheus`)).text();
}

/** Files of a certificate that expired an hour ago. */
async function expiredFiles(folder: string): Promise<Record<string, string>> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const hour = 3_600_000;
  const validity = { notBefore: Date.now() - 2 * hour, notAfter: Date.now() - hour };
  const root = await issueAuthority({ organization: "cluster.local", key, ...validity });
  const uris = ["spiffe://cluster.local/ns/shop/sa/late"];
  const leaf = await issueLeaf({ spki: key.spki, uris, ...validity }, { certificate: root, key });
  return {
    [`${folder}/cert-chain.pem`]: leaf.pem,
    [`${folder}/key.pem`]: await privateKeyPem(key, "pkcs8"),
  };
}

/** The written certificate and key. */
async function written(dir: string) {
  const read = (file: string) => Deno.readTextFile(`${dir}/${file}`);
  return {
    chain: await read("cert-chain.pem"),
    key: await read("key.pem"),
    root: await read("root-cert.pem"),
  };
}

const CASES: readonly (readonly [string, (bench: Bench) => Promise<void>])[] = [
  ["OUTPUT_CERTS, PKCS8_KEY, XDS_ROOT_CA: certificates are written", async (bench) => {
    const { dir, issuer, root } = bench;
    for (const pkcs8 of [true, false]) {
      const name = `writer-${pkcs8}`;
      const out = `${dir}/${name}/out`;
      await Deno.mkdir(out, { recursive: true });
      const files = { [TOKEN]: await issuer.token("shop", name), "roots.pem": root };
      const agent = await agentWith(bench, name, files, {
        OUTPUT_CERTS: "./out",
        PKCS8_KEY: `${pkcs8}`,
        XDS_ROOT_CA: "./roots.pem",
      });
      await started(agent);
      const { chain, key, root: rootText } = await written(out);
      assert.equal(rootText, root);
      assert.match(key, pkcs8 ? /BEGIN PRIVATE KEY/ : /BEGIN EC PRIVATE KEY/);
      assert.equal((await Deno.stat(`${out}/key.pem`)).mode! & 0o777, 0o600);
      const { ok, text } = await openssl(["verify", "-CAfile", "@root", "@chain"], { root, chain });
      assert.ok(ok, text);
      assert.match(await metricsOf(agent), /cert_expiry_seconds\{resource_name="default"\} [1-9]/);
    }
  }],
  ["PROV_CERT: a provisioned certificate obtains another one, without a token", async (bench) => {
    const { dir, issuer, root, xds } = bench;
    const token = await issuer.token("shop", "vm");
    const { cert, key } = await requestCertificate(xds, { ca: root }, token);
    const provisioned = {
      "certs/cert-chain.pem": cert,
      "certs/key.pem": key,
      "certs/root-cert.pem": root,
    };
    // The platform's token is of another account: it is not used.
    const files = { ...provisioned, [TOKEN]: await issuer.token("shop", "other") };
    const agent = await agentWith(bench, "vm", files, {
      PROV_CERT: "./certs",
      OUTPUT_CERTS: "./certs",
      SECRET_TTL: "4s",
    });
    await started(agent);
    const serial = async () =>
      readCertificates((await written(`${dir}/vm/certs`)).chain, "written")[0]!.serial;
    const first = await serial();
    assert.notEqual(first, readCertificates(cert, "given")[0]!.serial);
    // The next one is obtained with the written one.
    await eventually("a renewal", async () => await serial() !== first);
  }],
  ["PROV_CERT: a machine joins with a token, and then needs none", async (bench) => {
    const { dir, issuer, root } = bench;
    const folder = { "certs/root-cert.pem": root };
    const env = { PROV_CERT: "./certs", OUTPUT_CERTS: "./certs", SECRET_TTL: "6s" };
    const files = { ...folder, [TOKEN]: await issuer.token("shop", "joins") };
    const agent = await agentWith(bench, "joins", files, env);
    await started(agent);
    await Deno.remove(`${dir}/joins/${TOKEN}`);
    const serial = async () =>
      readCertificates((await written(`${dir}/joins/certs`)).chain, "written")[0]!.serial;
    const first = await serial();
    await eventually("a renewal without the token", async () => await serial() !== first, 60_000);
    // A machine that was switched off for longer than its certificate is valid needs a token again.
    const late = await agentWith(bench, "late", {
      ...folder,
      ...await expiredFiles("certs"),
      [TOKEN]: await issuer.token("shop", "late"),
    }, env);
    await started(late);
    assert.match(late.program.output(), /the provisioned certificate has expired; a token is used/);
  }],
  ["proxyMetadata sets variables of certificates, too", async (bench) => {
    const config = JSON.stringify("proxyMetadata: {XDS_ROOT_CA: ./roots.pem}");
    const files = {
      [TOKEN]: await bench.issuer.token("shop", "meta"),
      "roots.pem": bench.root,
      "etc/mesh/pod/annotations": `proxy.mesh.io/config=${config}\n`,
    };
    await started(await agentWith(bench, "meta", files, {}));
  }],
  ["JWT_POLICY=first-party-jwt uses the platform's token of the account", async (bench) => {
    const token = await bench.issuer.token("shop", "first");
    const path = "var/run/secrets/kubernetes.io/serviceaccount/token";
    await started(
      await agentWith(bench, "first", { [path]: token, [ROOT]: bench.root }, {
        JWT_POLICY: "first-party-jwt",
      }),
    );
  }],
  ["CREDENTIAL_FETCHER_TYPE=CloudVmPlatform asks the platform for a token", async (bench) => {
    const token = await bench.issuer.token("shop", "cloud");
    await using platform = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => new Response(token),
    );
    const agent = await agentWith(bench, "cloud", { [ROOT]: bench.root }, {
      CREDENTIAL_FETCHER_TYPE: "CloudVmPlatform",
      MESH_CREDENTIAL_URL: `http://127.0.0.1:${platform.addr.port}/identity`,
    });
    await started(agent);
    assert.ok(!agent.program.output().includes(token));
  }],
  ["a token that is replaced is read again, and requests are repeated", async (bench) => {
    const { dir, issuer, root } = bench;
    const agent = await agentWith(bench, "again", { [TOKEN]: "no.valid.token", [ROOT]: root }, {});
    await eventually(
      "a refusal",
      () => agent.program.output().includes("no certificate was obtained"),
    );
    await Deno.writeTextFile(`${dir}/again/${TOKEN}`, await issuer.token("shop", "again"));
    await started(agent);
    const metrics = await metricsOf(agent);
    assert.match(metrics, /num_outgoing_retries\{request_type="csr"\} [1-9]/);
    assert.match(metrics, /num_failed_outgoing_requests\{request_type="csr"\} [1-9]/);
    assert.match(metrics, /num_outgoing_requests\{request_type="csr"\} [1-9]/);
    assert.match(metrics, /mesh_agent_outgoing_latency\{request_type="csr"\} \d/);
  }],
  ["FILE_MOUNTED_CERTS: mounted files are used, and no authority", async (bench) => {
    const { issuer, root, xds } = bench;
    const token = await issuer.token("shop", "mounted");
    const { cert, key } = await requestCertificate(xds, { ca: root }, token);
    const agent = await agentWith(bench, "mounted", {
      "etc/certs/cert-chain.pem": cert,
      "etc/certs/key.pem": key,
      "etc/certs/root-cert.pem": root,
    }, { FILE_MOUNTED_CERTS: "true", CA_ADDR: "127.0.0.1:1" });
    await started(agent);
    assert.match(await metricsOf(agent), /cert_expiry_seconds\{resource_name="default"\} [1-9]/);
    assert.doesNotMatch(await metricsOf(agent), /num_outgoing_requests\{request_type="csr"\}/);
  }],
  ["WORKLOAD_IDENTITY_SOCKET_FILE: another provider is used, and must be there", async (bench) => {
    const { dir, issuer, root } = bench;
    const files = { [TOKEN]: await issuer.token("shop", "other"), [ROOT]: root };
    const env = { WORKLOAD_IDENTITY_SOCKET_FILE: "provider", CA_ADDR: "127.0.0.1:1" };
    const missing = await agentWith(bench, "other", files, env);
    await missing.program.status;
    assert.match(missing.program.output(), /provider: no program serves secrets there/);
    await Deno.mkdir(`${dir}/other/${SOCKETS}`, { recursive: true });
    const provider = await startSds({
      socket: `${dir}/other/${SOCKETS}/provider`,
      debounceMs: 100,
      certificates: {
        current: () => ({ chain: "", key: "", roots: "", version: "1", rootsVersion: "1" }),
        onChange: () => () => {},
        stop() {},
      },
    });
    bench.stack.defer(() => provider.stop());
    const agent = await agentWith(bench, "other", {}, env);
    await started(agent);
    assert.match(agent.program.output(), /another program serves the workload's secrets/);
    await assert.rejects(Deno.stat(`${dir}/other/${SOCKETS}/socket`));
  }],
];

Deno.test(withCertificates("certificates of the agent by its variables", async (t) => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-agent-certificates-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const issuer = stack.use(await startTokenIssuer());
  const { certificate: { pem: root } } = await writePluggedCa(`${dir}/ca`);
  const config = stack.use(await makeConfigDir());
  const secured = freePort();
  stack.use(
    await startDaemon({
      configDir: config.path,
      secured,
      env: { JWT_RULE: issuer.rule, ROOT_CA_DIR: `${dir}/ca` },
    }),
  );
  const xds = `localhost:${secured}`;
  for (const [name, run] of CASES) {
    await t.step(name, async () => {
      await using own = new AsyncDisposableStack();
      await run({ dir, issuer, root, xds, stack: own });
    });
  }
}));
