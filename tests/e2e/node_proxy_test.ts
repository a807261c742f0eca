/**
 * The real node proxy with a real daemon: its resources, and connections between two of them. Each
 * runs beside one workload, in a network namespace; pods are the matter of `tests/node`.
 *
 * @module
 */
import { workload } from "../support/ambient_objects.ts";
import assert from "node:assert/strict";
import { eventually, makeNodeNetwork, type NodeNetwork } from "../../scripts/harness/mod.ts";
import { ask, LACKING, link, proxyOf, startAmbientMesh, startEcho } from "./ambient/mesh.ts";

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

function access(spec: string): string {
  return `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: a, namespace: shop}
spec: {selector: {matchLabels: {app: web}}, ${spec}}
`;
}

/** Two namespaces with a link. */
async function linked(stack: AsyncDisposableStack): Promise<[NodeNetwork, NodeNetwork]> {
  const client = stack.use(await makeNodeNetwork(111));
  const server = stack.use(await makeNodeNetwork(112));
  await link([client, server], [CLIENT, SERVER]);
  return [client, server];
}

Deno.test({
  name: `two node proxies: workloads, services, policies, certificates, connections${
    LACKING === undefined ? "" : ` [${LACKING}]`
  }`,
  ignore: LACKING !== undefined,
  fn: async (t) => {
    await using stack = new AsyncDisposableStack();
    const documents = [SERVICE, workload("client", CLIENT), workload("web", SERVER)];
    const world = await startAmbientMesh(stack, documents);
    const [clientNet, serverNet] = await linked(stack);
    stack.use(startEcho(serverNet));
    const server = await proxyOf(world, { network: serverNet, name: "web", address: SERVER });
    const own = { network: clientNet, name: "client", address: CLIENT };
    let client = await proxyOf(world, own);

    const reached = (target: string, pattern: RegExp) =>
      eventually(
        `${target} to be ${pattern}`,
        async () => pattern.test(await ask(clientNet, `${target}/`)),
      );

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
      client = await proxyOf(world, {
        ...own,
        env: {
          XDS_ON_DEMAND: "true",
          // It answers no queries of names then.
          PROXY_CONFIG: JSON.stringify({ proxyMetadata: { DNS_CAPTURE: "false" } }),
        },
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
