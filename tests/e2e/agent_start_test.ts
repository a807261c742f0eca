/**
 * The start of an agent whose certificate is not there yet, with a real Envoy and a real daemon.
 *
 * @module
 */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import {
  type Agent,
  eventually,
  freePort,
  makeConfigDir,
  startAgent,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { withCertificates } from "../support/certificates.ts";
import { startTokenIssuer, writePluggedCa } from "../support/identity.ts";

const SECRETS = "var/run/secrets";

/** The files and settings of agents, and a daemon that is started later. */
async function openBench(stack: AsyncDisposableStack) {
  const dir = await Deno.makeTempDir({ prefix: "mesh-agent-start-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const issuer = stack.use(await startTokenIssuer());
  const { certificate: { pem: root } } = await writePluggedCa(`${dir}/ca`);
  const secured = freePort();
  const start = async (name: string, files: Readonly<Record<string, string>>): Promise<Agent> => {
    const all = {
      [`${SECRETS}/tokens/mesh-token`]: await issuer.token("shop", name),
      [`${SECRETS}/mesh/root-cert.pem`]: root,
      ...files,
    };
    for (const [path, text] of Object.entries(all)) {
      await Deno.mkdir(dirname(`${dir}/${name}/${path}`), { recursive: true });
      await Deno.writeTextFile(`${dir}/${name}/${path}`, text);
    }
    return stack.use(
      await startAgent({
        role: "sidecar",
        name,
        namespace: "shop",
        ip: "127.0.0.1",
        xds: `localhost:${secured}`,
        secured: true,
        envoy: await envoyPath(),
        dir,
        noWait: true,
        env: { SERVICE_ACCOUNT: name, ECC_SIGNATURE_ALGORITHM: "ECDSA" },
      }),
    );
  };
  const daemon = async () => {
    const config = stack.use(await makeConfigDir());
    const env = { JWT_RULE: issuer.rule, ROOT_CA_DIR: `${dir}/ca` };
    stack.use(await startDaemon({ configDir: config.path, secured, env }));
  };
  return { start, daemon };
}

Deno.test(withCertificates("the proxy starts while its certificate is on its way", async () => {
  await using stack = new AsyncDisposableStack();
  const { start, daemon } = await openBench(stack);
  const agent = await start("early", {});
  const { program, admin, status } = agent;
  const ready = async (): Promise<number> => {
    const answer = await fetch(`${status}/healthz/ready`);
    await answer.body?.cancel();
    return answer.status;
  };
  await eventually("the proxy to answer", async () => {
    const answer = await fetch(`${admin}/server_info`);
    await answer.body?.cancel();
    return answer.ok;
  });
  assert.match(program.output(), /started the proxy/);
  assert.doesNotMatch(program.output(), /obtained a certificate/);
  assert.equal(await ready(), 503);
  await daemon();
  await eventually("the proxy to be ready", async () => await ready() === 200);
  assert.match(program.output(), /started the proxy[^]*obtained a certificate/);
  // The daemon knows the proxy by the certificate.
  assert.match(program.output(), /spiffe:\/\/cluster\.local\/ns\/shop\/sa\/early/);
}));

Deno.test(
  withCertificates("an agent that cannot serve its certificate ends, with the proxy", async () => {
    await using stack = new AsyncDisposableStack();
    const { start, daemon } = await openBench(stack);
    await daemon();
    // A file is where the folder of the socket should be.
    const { program, admin } = await start("late", { [`${SECRETS}/workload-spiffe-uds`]: "" });
    const { code } = await program.status;
    assert.notEqual(code, 0, program.output());
    assert.match(program.output(), /obtained a certificate/);
    await assert.rejects(fetch(`${admin}/server_info`), "the proxy still runs");
  }),
);
