/**
 * A change of the self-signed root while requests go on over mutual TLS: no request fails, every
 * chain is valid by `openssl verify`, and the old root is removed at the end.
 *
 * @module
 */
import assert from "node:assert/strict";
import { readCertificates } from "../../lib/kit/pki/mod.ts";
import {
  type Agent,
  call,
  eventually,
  freePort,
  makeConfigDir,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { withCertificates } from "../support/certificates.ts";
import { startCertifiedAgent, startTokenIssuer } from "../support/identity.ts";
import { openssl } from "../support/openssl.ts";
import { STRICT_HOST, strictMesh } from "./security/strict_mesh.ts";

const SERVER = "127.0.45.1";
const CLIENT = "127.0.45.2";

function configuration(port: number): string {
  return strictMesh({ server: SERVER, client: CLIENT, unused: "127.0.45.3", port });
}

/** The root of the daemon's store, PEM; the one that signs. */
async function storedRoot(dir: string): Promise<string> {
  const { roots } = JSON.parse(await Deno.readTextFile(`${dir}/self-signed.json`));
  return roots.active.certificate;
}

/** Serial numbers of the authorities that an Envoy trusts. */
async function trusted({ admin }: Agent): Promise<string[]> {
  const { certificates } = await (await fetch(`${admin}/certs`)).json() as {
    certificates: { ca_cert: { serial_number: string }[] }[];
  };
  return [...new Set(certificates.flatMap(({ ca_cert }) => ca_cert.map((c) => c.serial_number)))];
}

Deno.test(withCertificates("a change of roots under load fails no request", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-root-change-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const issuer = stack.use(await startTokenIssuer());
  const backend = stack.use(startBackend("shop"));
  const config = stack.use(await makeConfigDir());
  await config.write("mesh.yaml", configuration(backend.port));
  const secured = freePort();
  const store = `${dir}/store`;
  const daemon = stack.use(
    await startDaemon({
      configDir: config.path,
      secured,
      env: {
        JWT_RULE: issuer.rule,
        ROOT_CA_DIR: `${dir}/none`,
        MESHCA_SELF_SIGNED_DIR: store,
        // The old root is removed 15 s after the new one signs.
        MAX_WORKLOAD_CERT_TTL: "15s",
        DEFAULT_WORKLOAD_CERT_TTL: "15s",
      },
    }),
  );
  const first = await storedRoot(store);
  const starter = { issuer, root: first, dir, xds: `localhost:${secured}` };
  const start = async (name: string, ip: string): Promise<Agent> =>
    stack.use(
      await startCertifiedAgent(starter, {
        role: "sidecar",
        name,
        namespace: name,
        ip,
        interception: "NONE",
        env: { SECRET_TTL: "8s", OUTPUT_CERTS: `${dir}/${name}` },
        proxyConfig: {
          proxyStatsMatcher: { inclusionRegexps: [".*ssl.*", ".*update_rejected"] },
        },
      }),
    );
  const agents = await Promise.all([start("shop", SERVER), start("web", CLIENT)]);
  const ask = () => call(`http://${CLIENT}:${backend.port}/`, { host: STRICT_HOST });
  await eventually("a request over mutual TLS", async () => (await ask()).status === 200);

  const begin = `${daemon.http}/debug/root_change?decision=begin`;
  const begun = await fetch(begin, { method: "POST" });
  assert.equal(begun.status, 200, await begun.text());
  const phases = new Set<string>();
  const deadline = performance.now() + 300_000;
  let asked = 0;
  let last: string[] = [];
  const root = (pem: string) => readCertificates(pem, "root")[0]!.serial;
  for (;;) {
    assert.equal((await ask()).status, 200, `request ${asked} during the change of roots`);
    if (asked++ % 25 === 0) {
      const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
      phases.add(/mesh_ca_root_change\{phase="(\w+)"\} 1/.exec(text)![1]!);
      await verifyChains(dir);
      last = (await Promise.all(agents.map(trusted))).flat();
      const now = root(await storedRoot(store));
      const isDone = now !== root(first) && phases.size > 1 &&
        last.every((serial) => serial.toLowerCase().replace(/^0+/, "") === now.replace(/^0+/, ""));
      if (isDone) break;
    }
    assert.ok(performance.now() < deadline, `no end: ${[...phases]} ${last}`);
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.ok(phases.has("switched"), [...phases].join());
  for (const agent of agents) {
    for (const [name, count] of Object.entries(await agent.stats("update_rejected$"))) {
      assert.equal(count, 0, `${agent.name} ${name}`);
    }
  }
}));

/** Each written chain is valid by the roots that the other workload has. */
async function verifyChains(dir: string): Promise<void> {
  for (const [own, other] of [["shop", "web"], ["web", "shop"]] as const) {
    const chain = await Deno.readTextFile(`${dir}/${own}/cert-chain.pem`);
    const roots = await Deno.readTextFile(`${dir}/${other}/root-cert.pem`);
    const { ok, text } = await openssl(
      ["verify", "-x509_strict", "-CAfile", "@roots", "-untrusted", "@chain", "@chain"],
      { chain, roots },
    );
    assert.ok(ok, text);
  }
}
