/**
 * A daemon and agents of different versions: those of an earlier commit with those of the present
 * sources, in both directions, with real Envoys.
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
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { earlierCommit, unpackTree } from "../support/earlier_tree.ts";
import {
  serialsOf,
  startCertifiedAgent,
  startTokenIssuer,
  writePluggedCa,
} from "../support/identity.ts";
import { documents } from "../support/manifest.ts";
import { STRICT_HOST, strictMesh } from "./security/strict_mesh.ts";
import { policy } from "./security/world.ts";

const EARLIER = await earlierCommit();

/** The program that has the earlier version, with the third part of the addresses of its proxies. */
const DIRECTIONS = [["daemon", 46], ["agents", 47]] as const;

/** A mesh with mutual TLS; one path of the server is closed for the client. */
function configuration(network: number, port: number, closed: string): string {
  return documents(
    strictMesh({
      server: `127.0.${network}.1`,
      client: `127.0.${network}.2`,
      unused: `127.0.${network}.3`,
      port,
    }),
    policy("AuthorizationPolicy", "web-only", {
      action: "DENY",
      rules: [{
        from: [{ source: { principals: ["cluster.local/ns/web/sa/web"] } }],
        to: [{ operation: { paths: [closed] } }],
      }],
    }, { namespace: "shop" }),
  );
}

Deno.test({
  name: EARLIER === undefined
    ? "a daemon and agents of two versions work together (skipped: git has no earlier commit)"
    : "a daemon and agents of two versions work together",
  ignore: EARLIER === undefined,
  fn: async (t) => {
    await using tree = await unpackTree(EARLIER!);
    for (const [program, network] of DIRECTIONS) {
      await t.step(
        `the ${program} from commit ${tree.commit.slice(0, 8)}`,
        () => together(program, network, tree.main),
      );
    }
  },
});

async function together(
  program: "daemon" | "agents",
  network: number,
  earlier: string,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-skew-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const issuer = stack.use(await startTokenIssuer());
  const { certificate } = await writePluggedCa(`${dir}/ca`);
  const backend = stack.use(startBackend("shop"));
  const config = stack.use(await makeConfigDir());
  await config.write("mesh.yaml", configuration(network, backend.port, "/first"));
  const secured = freePort();
  const daemon = stack.use(
    await startDaemon({
      ...{ configDir: config.path, secured },
      main: program === "daemon" ? earlier : undefined,
      env: { JWT_RULE: issuer.rule, ROOT_CA_DIR: `${dir}/ca` },
    }),
  );
  const start = async (name: string, host: number): Promise<Agent> => {
    const agent = await startCertifiedAgent(
      { issuer, root: certificate.pem, dir, xds: `localhost:${secured}` },
      {
        ...{ role: "sidecar", name, namespace: name, labels: { app: name } },
        ip: `127.0.${network}.${host}`,
        main: program === "agents" ? earlier : undefined,
        env: { SECRET_TTL: "16s" },
        proxyConfig: { proxyStatsMatcher: { inclusionSuffixes: ["update_rejected"] } },
      },
    );
    return stack.use(agent);
  };
  const agents = await Promise.all([start("shop", 1), start("web", 2)]);
  for (
    const [one, isEarlier] of [[daemon, program === "daemon"], [
      agents[0],
      program === "agents",
    ]] as const
  ) {
    const command = await Deno.readTextFile(`/proc/${one.program.pid}/cmdline`);
    assert.equal(command.split("\0").includes(earlier), isEarlier, command);
  }
  const ask = async (path: string): Promise<number> => {
    const url = `http://127.0.${network}.2:${backend.port}${path}`;
    return (await call(url, { host: STRICT_HOST })).status;
  };
  await eventually("a request to arrive over mutual TLS", async () => await ask("/") === 200);
  assert.equal(await ask("/first"), 403, "the server knows the caller's identity");
  await config.write("mesh.yaml", configuration(network, backend.port, "/second"));
  // A connection that Envoy still drains has the earlier policy.
  await eventually(
    "the edit to be obeyed",
    async () => await ask("/second") === 403 && await ask("/first") === 200,
  );
  for (const agent of agents) {
    const serials = await serialsOf(agent);
    await eventually(
      `${agent.name} to renew its certificate`,
      async () => await serialsOf(agent) !== serials,
    );
    assert.equal(await ask("/"), 200, "after the renewal");
    const rejected = await agent.stats("update_rejected$");
    assert.ok(Object.keys(rejected).length > 0);
    for (const [name, count] of Object.entries(rejected)) {
      assert.equal(count, 0, `${agent.name} ${name}: ${daemon.program.output()}`);
    }
  }
}
