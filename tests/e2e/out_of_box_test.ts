/**
 * Mutual TLS without any setting: a daemon, two sidecars and a gateway have only addresses, names,
 * tokens and the daemon's root.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  type AgentOptions,
  call,
  eventually,
  freePorts,
  makeConfigDir,
  startAgent,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { startTokenIssuer } from "../support/identity.ts";
import { documents, manifest, to } from "../support/manifest.ts";
import { openssl } from "../support/openssl.ts";
import { shopMesh } from "./security/strict_mesh.ts";

const SERVER = "127.0.45.1";
const CLIENT = "127.0.45.2";
const EDGE = "127.0.45.3";
/** Address of the one outbound listener of the server's proxy, which nobody uses. */
const UNUSED = "127.0.45.4";
const HOST = "shop.test";

/** A service with one endpoint, and listeners of its clients, because nothing redirects traffic. */
function configuration(port: number, edge: number): string {
  return documents(
    shopMesh({ server: SERVER, client: CLIENT, unused: UNUSED, port }),
    manifest("Gateway", "edge", {
      selector: { app: "edge" },
      servers: [{
        port: { number: edge, protocol: "HTTP", name: "http" },
        bind: EDGE,
        hosts: [HOST],
      }],
    }, "edge"),
    manifest(
      "VirtualService",
      "edge",
      { hosts: [HOST], gateways: ["edge"], http: [to(HOST)] },
      "edge",
    ),
  );
}

Deno.test("without any setting sidecars and gateways talk mutual TLS", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-default-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const issuer = stack.use(await startTokenIssuer());
  const backend = stack.use(startBackend("shop"));
  const [secured = 0, edge = 0] = freePorts(2);
  const config = stack.use(await makeConfigDir());
  await config.write("mesh.yaml", configuration(backend.port, edge));
  // Without the orchestrator, JWT_RULE names the issuer of tokens, and a directory keeps the root.
  const env = { JWT_RULE: issuer.rule, MESHCA_SELF_SIGNED_DIR: `${dir}/ca` };
  stack.use(await startDaemon({ configDir: config.path, secured, env }));
  const root = await Deno.readTextFile(`${dir}/ca/root-cert.pem`);
  const start = async (name: string, ip: string, role: AgentOptions["role"]): Promise<Agent> => {
    const run = `${dir}/${name}/var/run/secrets`;
    await Deno.mkdir(`${run}/tokens`, { recursive: true });
    await Deno.mkdir(`${run}/mesh`, { recursive: true });
    await Deno.writeTextFile(`${run}/tokens/mesh-token`, await issuer.token(name, name));
    await Deno.writeTextFile(`${run}/mesh/root-cert.pem`, root);
    return stack.use(
      await startAgent({
        role,
        name,
        namespace: name,
        labels: { app: name },
        ip,
        xds: `localhost:${secured}`,
        secured: true,
        envoy: await envoyPath(),
        dir,
        interception: "NONE",
        env: { SERVICE_ACCOUNT: name },
      }),
    );
  };
  await Promise.all([
    start("shop", SERVER, "sidecar"),
    start("web", CLIENT, "sidecar"),
    start("edge", EDGE, "router"),
  ]);
  /** The identity of the caller that the backend was told. */
  const callerAt = async (ip: string, port: number): Promise<string> => {
    const { status, echo } = await call(`http://${ip}:${port}/`, { host: HOST });
    assert.equal(status, 200);
    const header = echo?.headers["x-forwarded-client-cert"] ?? "";
    return /URI=([^;,]+)/.exec(header)?.[1] ?? "none";
  };
  for (
    const [ip, port, account] of [[CLIENT, backend.port, "web"], [EDGE, edge, "edge"]] as const
  ) {
    await eventually(
      `mutual TLS from ${account}`,
      async () => await callerAt(ip, port) === `spiffe://cluster.local/ns/${account}/sa/${account}`,
    );
  }
  assert.equal(await callerAt(SERVER, backend.port), "none", "plain clients are served by default");
  const { text } = await openssl(
    ["s_client", "-connect", `${SERVER}:${backend.port}`, "-alpn", "mesh", "-CAfile", "@root"],
    { root },
  );
  assert.match(text, /Verify return code: 0 \(ok\)/, text);
});
