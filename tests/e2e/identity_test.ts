/**
 * Two Envoys with agents that obtain certificates from the daemon: mutual TLS without any file, and
 * renewal while requests go on.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  call,
  eventually,
  freePort,
  makeConfigDir,
  startAgent,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { serialsOf, startTokenIssuer, writePluggedCa } from "../support/identity.ts";
import { documents } from "../support/manifest.ts";
import { STRICT_HOST, strictMesh } from "./security/strict_mesh.ts";
import { policy } from "./security/world.ts";

const SERVER = "127.0.43.1";
const CLIENT = "127.0.43.2";

/** The server's service, listeners for both proxies, and STRICT mutual TLS at the server. */
function configuration(port: number): string {
  return documents(
    strictMesh({ server: SERVER, client: CLIENT, unused: "127.0.43.3", port }),
    policy("AuthorizationPolicy", "web-only", {
      action: "DENY",
      rules: [{
        from: [{ source: { principals: ["cluster.local/ns/web/sa/web"] } }],
        to: [{ operation: { paths: ["/closed"] } }],
      }],
    }, { namespace: "shop" }),
  );
}

Deno.test("proxies talk mutual TLS with certificates that the daemon issues and renews", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-identity-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const issuer = stack.use(await startTokenIssuer());
  const { certificate } = await writePluggedCa(`${dir}/ca`);
  const backend = stack.use(startBackend("shop"));
  const config = stack.use(await makeConfigDir());
  await config.write("mesh.yaml", configuration(backend.port));
  const secured = freePort();
  const daemon = stack.use(
    await startDaemon({
      configDir: config.path,
      secured,
      env: { JWT_RULE: issuer.rule, ROOT_CA_DIR: `${dir}/ca` },
    }),
  );
  const envoy = await envoyPath();
  const start = async (name: string, namespace: string, ip: string): Promise<Agent> => {
    const run = `${dir}/${name}/var/run/secrets`;
    await Deno.mkdir(`${run}/tokens`, { recursive: true });
    await Deno.mkdir(`${run}/mesh`, { recursive: true });
    await Deno.writeTextFile(`${run}/tokens/mesh-token`, await issuer.token(namespace, name));
    await Deno.writeTextFile(`${run}/mesh/root-cert.pem`, certificate.pem);
    return stack.use(
      await startAgent({
        role: "sidecar",
        name,
        namespace,
        labels: { app: name },
        ip,
        xds: `localhost:${secured}`,
        secured: true,
        envoy,
        dir,
        interception: "NONE",
        env: {
          SERVICE_ACCOUNT: name,
          SECRET_TTL: "6s",
          ECC_SIGNATURE_ALGORITHM: "ECDSA",
        },
        proxyConfig: {
          proxyStatsMatcher: { inclusionRegexps: [".*ssl.*", ".*sds.*", ".*update_rejected"] },
        },
      }),
    );
  };
  const server = await start("shop", "shop", SERVER);
  const client = await start("web", "web", CLIENT);
  const ask = (path: string) =>
    call(`http://${CLIENT}:${backend.port}${path}`, { host: STRICT_HOST }).then(({ status }) =>
      status
    );
  await eventually("a request to arrive over mutual TLS", async () => await ask("/") === 200);
  assert.equal(await ask("/closed"), 403, "the server knows the caller's identity");
  // STRICT: nobody without a certificate is served.
  await assert.rejects(call(`http://${SERVER}:${backend.port}/`, { host: STRICT_HOST }));
  let asked = 0;
  for (let renewal = 1; renewal <= 2; renewal++) {
    const serials = await serialsOf(server);
    await eventually(`renewal ${renewal} of the server's certificate`, async () => {
      assert.equal(await ask("/"), 200, `request ${asked} during renewals`);
      asked++;
      return await serialsOf(server) !== serials;
    });
  }
  for (const agent of [server, client]) {
    for (const [name, count] of Object.entries(await agent.stats("update_rejected$"))) {
      assert.equal(count, 0, `${agent.name} ${name}`);
    }
    assert.ok(!agent.program.output().includes("PRIVATE KEY"));
  }
  assert.ok(!daemon.program.output().includes("PRIVATE KEY"));
});
