/**
 * The real node proxy with a real daemon: its resources, and connections between two of them. Each
 * runs beside one workload, in a network namespace; pods are the matter of `tests/node`.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type ConfigDir,
  type Daemon,
  eventually,
  freePort,
  makeConfigDir,
  makeNodeNetwork,
  type NodeNetwork,
  type NodeProxy,
  nodeProxyPath,
  packedNodeProxy,
  startDaemon,
  startNodeProxy,
} from "../../scripts/harness/mod.ts";
import { startTokenIssuer, type TokenIssuer, writePluggedCa } from "../support/identity.ts";

const PACKED = packedNodeProxy();
const LACKING = Deno.build.os !== "linux" || Deno.uid() !== 0
  ? "needs Linux and root"
  : PACKED === undefined
  ? "needs the node proxy: set MESH_NODE_PROXY to ztunnel.xz"
  : undefined;

/** Addresses of the client and of the server on the link between their namespaces. */
const [CLIENT, SERVER, VIRTUAL] = ["10.78.0.1", "10.78.0.2", "10.96.7.7"];

const SERVICE = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: web, namespace: shop}
spec:
  hosts: [web.shop.svc.cluster.local]
  addresses: [${VIRTUAL}]
  resolution: STATIC
  workloadSelector: {labels: {app: web}}
  ports: [{number: 80, name: tcp, protocol: TCP, targetPort: 8080}]
`;

function workload(name: string, address: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: ${name}, namespace: shop, labels: {app: ${name}, networking.mesh.io/tunnel: http}}
spec: {address: ${address}, serviceAccount: ${name}}
`;
}

function access(spec: string): string {
  return `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: a, namespace: shop}
spec: {selector: {matchLabels: {app: web}}, ${spec}}
`;
}

/** A daemon over a directory, with an issuer of tokens. */
interface World {
  readonly config: ConfigDir;
  readonly daemon: Daemon;
  readonly issuer: TokenIssuer;
  readonly root: string;
  readonly dir: string;
  readonly port: number;
  readonly stack: AsyncDisposableStack;
}

async function startWorld(stack: AsyncDisposableStack): Promise<World> {
  const config = stack.use(await makeConfigDir());
  const dir = await Deno.makeTempDir({ prefix: "mesh-node-proxy-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const { certificate } = await writePluggedCa(`${dir}/ca`);
  const issuer = stack.use(await startTokenIssuer());
  await config.write(
    "mesh.yaml",
    [SERVICE, workload("client", CLIENT), workload("web", SERVER)].join("---\n"),
  );
  const port = freePort();
  const daemon = stack.use(
    await startDaemon({
      configDir: config.path,
      secured: port,
      args: [`--secureGRPCAddr=0.0.0.0:${port}`],
      env: { PILOT_ENABLE_AMBIENT: "true", ROOT_CA_DIR: `${dir}/ca`, JWT_RULE: issuer.rule },
    }),
  );
  return { config, daemon, issuer, root: certificate.pem, dir, port, stack };
}

/** The proxy of one workload of namespace `shop`. */
async function proxyOf(
  { issuer, root, dir, port, stack }: World,
  network: NodeNetwork,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<NodeProxy> {
  return stack.use(
    await startNodeProxy({
      path: await nodeProxyPath(PACKED!),
      network,
      xds: `https://${network.host}:${port}`,
      dir: `${dir}/${name}`,
      // WorkloadEntries are on no node.
      node: "",
      root,
      token: await issuer.token("shop", name),
      env: {
        PROXY_MODE: "dedicated",
        PROXY_WORKLOAD_INFO: `shop/${name}/${name}`,
        POD_NAME: name,
        POD_NAMESPACE: "shop",
        INSTANCE_IP: name === "client" ? CLIENT : SERVER,
        UNSTABLE_ENABLE_SOCKS5: "true",
        // Connections begin at loopback, which is no source for other hosts.
        ENABLE_ORIG_SRC: "false",
        ...env,
      },
    }),
  );
}

/** Two namespaces with a link. */
async function linked(stack: AsyncDisposableStack): Promise<[NodeNetwork, NodeNetwork]> {
  const client = stack.use(await makeNodeNetwork(111));
  const server = stack.use(await makeNodeNetwork(112));
  await client.run(
    "ip",
    "link",
    "add",
    "mesh0",
    "type",
    "veth",
    "peer",
    "name",
    "mesh0",
    "netns",
    server.name,
  );
  for (const [network, address] of [[client, CLIENT], [server, SERVER]] as const) {
    await network.run("ip", "addr", "add", `${address}/24`, "dev", "mesh0");
    await network.run("ip", "link", "set", "mesh0", "up");
  }
  return [client, server];
}

/** An HTTP server at a port of a namespace that names its client's address. */
const ECHO = `Deno.serve({ port: 8080, hostname: "0.0.0.0", onListen() {} },
  (_, { remoteAddr }) => new Response("reached from " + remoteAddr.hostname));`;

Deno.test({
  name: `two node proxies: workloads, services, policies, certificates, connections${
    LACKING === undefined ? "" : ` [${LACKING}]`
  }`,
  ignore: LACKING !== undefined,
  fn: async (t) => {
    await using stack = new AsyncDisposableStack();
    const world = await startWorld(stack);
    const [clientNet, serverNet] = await linked(stack);
    stack.use(serverNet.start(Deno.execPath(), ["eval", ECHO]));
    const server = await proxyOf(world, serverNet, "web");
    let client = await proxyOf(world, clientNet, "client");

    /** The answer through the client's proxy; the exit code of curl where there is none. */
    const call = (target: string): Promise<string> =>
      clientNet.run("curl", "-sS", "-m", "5", "--socks5", "127.0.0.1:15080", `http://${target}/`)
        .catch((error: Error) => `refused: ${error.message.split("\n")[0]}`);
    const reached = (target: string, pattern: RegExp) =>
      eventually(`${target} to be ${pattern}`, async () => pattern.test(await call(target)));

    await t.step("the proxy knows the service with its workload", async () => {
      const dump = await client.dumped(
        "a service with an endpoint",
        ({ services }) => services.some((one) => Object.keys(one.endpoints as object).length === 1),
      );
      const [service] = dump.services;
      assert.deepEqual([service?.name, service?.vips, service?.ports], [
        "web",
        [`/${VIRTUAL}`],
        { 80: 8080 },
      ]);
      const web = dump.workloads.find(({ name }) => name === "web");
      assert.deepEqual([web?.protocol, web?.serviceAccount, web?.workloadIps], [
        "HBONE",
        "web",
        [SERVER],
      ]);
    });

    await t.step("a connection to the service runs in a tunnel between the proxies", async () => {
      await reached(VIRTUAL, /^reached from /);
      await server.program.printed(
        /connection complete.*src\.identity="spiffe:\/\/cluster\.local\/ns\/shop\/sa\/client"/,
      );
      const { certificates } = await client.dumped(
        "a certificate of the workload",
        ({ certificates }) => certificates.length > 0,
      );
      assert.match(JSON.stringify(certificates), /spiffe:\/\/cluster\.local\/ns\/shop\/sa\/client/);
    });

    await t.step("the daemon shows the proxies and their resources", async () => {
      const shown = await world.daemon.debug<Record<string, { name: string }[]>>("ambientz");
      assert.deepEqual(shown.workloads?.map(({ name }) => name), ["client", "web"]);
      assert.deepEqual(shown.services?.map(({ name }) => name), ["web"]);
      const rows = await world.daemon.debug<Record<string, string>[]>("syncz");
      assert.deepEqual(
        rows.map(({ proxy, proxy_type, workload_status, authorization_status }) =>
          `${proxy} ${proxy_type} ${workload_status} ${authorization_status}`
        ).sort(),
        ["client", "web"].map((name) => `${name}.shop ztunnel SYNCED SYNCED`),
      );
    });

    await t.step("policies: denied by principal, allowed by port, denied by requests", async () => {
      const principal = "cluster.local/ns/shop/sa/client";
      await world.config.write(
        "policy.yaml",
        access(`action: DENY, rules: [{from: [{source: {principals: [${principal}]}}]}]`),
      );
      await reached(VIRTUAL, /^refused/);
      const { policies } = await server.configDump();
      assert.deepEqual(
        policies.map(({ name, scope, action }) => `${name} ${scope} ${action}`).sort(),
        ["a WorkloadSelector Deny", "mesh_converted_static_strict WorkloadSelector Deny"],
      );
      await world.config.write(
        "policy.yaml",
        access(`rules: [{to: [{operation: {ports: ["8080"]}}]}]`),
      );
      await reached(VIRTUAL, /^reached from /);
      await world.config.write(
        "policy.yaml",
        access("rules: [{to: [{operation: {methods: [GET]}}]}]"),
      );
      await reached(VIRTUAL, /^refused/);
      const { problems } = await world.daemon.debug<{ problems: { fault: string }[] }>("ambientz");
      assert.match(`${problems[0]?.fault}`, /rules with methods allow nothing; use a waypoint/);
      await world.config.remove("policy.yaml");
      await reached(VIRTUAL, /^reached from /);
    });

    await t.step("strict mode: the workload has the policy, and tunnels go on", async () => {
      await world.config.write(
        "peer.yaml",
        `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: p, namespace: shop}
spec: {mtls: {mode: STRICT}}
`,
      );
      await server.dumped(
        "the strict policy at the workload",
        ({ workloads }) =>
          JSON.stringify(workloads.find(({ name }) => name === "web")).includes(
            "mesh_converted_static_strict",
          ),
      );
      await reached(VIRTUAL, /^reached from /);
    });

    await t.step("on demand, a proxy has its own workload and what it asked for", async () => {
      const unrelated = [
        workload("other", "10.78.0.9"),
        SERVICE.replaceAll("web", "other")
          .replace(VIRTUAL, "10.96.7.8"),
      ];
      await world.config.write("other.yaml", unrelated.join("---\n"));
      await server.dumped("all services", ({ services }) => services.length === 2);
      await client[Symbol.asyncDispose]();
      client = await proxyOf(world, clientNet, "client", {
        XDS_ON_DEMAND: "true",
        // It answers no queries of names then.
        PROXY_CONFIG: JSON.stringify({ proxyMetadata: { DNS_CAPTURE: "false" } }),
      });
      const names = (some: readonly Readonly<Record<string, unknown>>[]) =>
        some.map(({ name }) => name).sort();
      const first = await client.dumped(
        "its own workload",
        ({ workloads }) => workloads.length > 0,
      );
      assert.deepEqual([names(first.workloads), names(first.services)], [["client"], []]);
      await reached(VIRTUAL, /^reached from /);
      const second = await client.configDump();
      assert.deepEqual([names(second.workloads), names(second.services)], [["client", "web"], [
        "web",
      ]]);
      await world.config.remove("other.yaml");
    });

    await t.step(
      "a removed workload is forgotten",
      async () => {
        await world.config.write("mesh.yaml", [SERVICE, workload("client", CLIENT)].join("---\n"));
        await client.dumped("one workload", ({ workloads }) => workloads.length === 1);
        await reached(VIRTUAL, /^refused/);
      },
    );
  },
});
