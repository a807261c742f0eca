/**
 * A waypoint, as real Envoys meet it: clients reach services through it by tunnels (HBONE), and it
 * applies routes and policies.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Agent, call, freePort, startAgent, startBackend } from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { type Certificate, withCertificates } from "../support/certificates.ts";
import { documents, manifest, type Spec } from "../support/manifest.ts";
import { throughTunnel, type TunnelRequest } from "../support/tunnel_client.ts";
import { becomes } from "./security/case.ts";
import { edgeRoutes, startEdge } from "./security/edge.ts";
import {
  filesOf,
  policy,
  type SecurityWorld,
  SERVER,
  SERVER_NAMESPACE,
  startSecurityWorld,
} from "./security/world.ts";

/** Address of the waypoint's proxy. */
const WAYPOINT = "127.0.41.20";

/** Virtual addresses of the services. */
const VIP = { shop: "240.0.41.1", till: "240.0.41.2" } as const;

type Labels = Readonly<Record<string, string>>;

const USE: Labels = { "mesh.io/use-waypoint": "wp" };

function withLabels(text: string, labels: Readonly<Record<string, string>>): string {
  return text.replace("metadata:\n", `metadata:\n  labels: ${JSON.stringify(labels)}\n`);
}

/** The Gateway of the waypoint, and the service in front of it. */
function waypointDocuments(traffic: string): string {
  const host = `wp-mesh-waypoint.${SERVER_NAMESPACE}.svc.cluster.local`;
  return documents(
    toYaml({
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: {
        name: "wp",
        namespace: SERVER_NAMESPACE,
        labels: { "mesh.io/waypoint-for": traffic },
      },
      spec: {
        gatewayClassName: "mesh-waypoint",
        listeners: [{ name: "mesh", port: 15008, protocol: "HBONE" }],
      },
    }),
    manifest("ServiceEntry", "wp", {
      hosts: [host],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: 15008, name: "mesh", protocol: "TLS" }],
      endpoints: [{ address: WAYPOINT, serviceAccount: "wp" }],
    }, SERVER_NAMESPACE),
  );
}

/** The services behind the waypoint: their workload accepts tunnels. */
function services({ http, tcp }: SecurityWorld, labels: Labels = USE): string {
  const service = (name: keyof typeof VIP, number: number, protocol: string, to: number) =>
    withLabels(
      manifest("ServiceEntry", name, {
        hosts: [`${name}.test`],
        addresses: [VIP[name]],
        location: "MESH_INTERNAL",
        resolution: "STATIC",
        ports: [{ number, protocol, name: "main", targetPort: to }],
        endpoints: [{
          address: SERVER,
          labels: {
            app: "shop",
            "networking.mesh.io/tunnel": "http",
            "security.mesh.io/tlsMode": "disabled",
          },
          serviceAccount: "shop",
        }],
      }, SERVER_NAMESPACE),
      labels,
    );
  return documents(service("shop", 80, "HTTP", http), service("till", 7000, "TCP", tcp));
}

/** A service without a waypoint, in plain text. */
function other(port: number): string {
  return manifest("ServiceEntry", "other", {
    hosts: ["other.test"],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: port, protocol: "HTTP", name: "main" }],
    endpoints: [{ address: "127.0.41.7" }],
  }, SERVER_NAMESPACE);
}

async function startWaypoint(
  stack: AsyncDisposableStack,
  world: SecurityWorld,
): Promise<Agent> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-waypoint-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  return stack.use(
    await startAgent({
      role: "waypoint",
      name: "wp",
      namespace: SERVER_NAMESPACE,
      labels: { "gateway.networking.k8s.io/gateway-name": "wp" },
      ip: WAYPOINT,
      xds: world.daemon.xds,
      envoy: await envoyPath(),
      dir,
      env: filesOf(await world.certificate(SERVER_NAMESPACE, "wp"), world.authority),
      proxyConfig: { proxyStatsMatcher: { inclusionRegexps: [".*update_rejected"] } },
    }),
  );
}

const target = (kind: string, name: string, group: string, rules: Spec): Spec => ({
  targetRefs: [{ group, kind, name }],
  action: "DENY",
  ...rules,
});

const path = (one: string): Spec => ({ rules: [{ to: [{ operation: { paths: [one] } }] }] });

/** A gateway, and a policy that only the waypoint applies. */
async function ingress(world: SecurityWorld): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const address = "127.0.41.9";
  const env = filesOf(await world.certificate(SERVER_NAMESPACE, "edge"), world.authority);
  await startEdge(stack, world, address, { env, noWait: true });
  const port = freePort();
  await world.config.write(
    "edge.yaml",
    edgeRoutes(address, port, "shop.test"),
  );
  const spec = target("ServiceEntry", "shop", "networking.mesh.io", path("/closed"));
  await world.config.write("access.yaml", policy("AuthorizationPolicy", "access", spec));
  const ask = (to: string) => () =>
    call(`http://${address}:${port}${to}`).then(({ status }) => status, () => 0);
  await becomes("a request to the workload", 200, ask("/closed"));
  const through = { ...USE, "mesh.io/ingress-use-waypoint": "true" };
  await world.config.write("services.yaml", services(world, through));
  await becomes("a request through the waypoint", 403, ask("/closed"));
  await becomes("another request", 200, ask("/"));
  await world.config.write("services.yaml", services(world));
  await becomes("a request to the workload again", 200, ask("/closed"));
}

/** A waypoint for workloads takes what is meant for their addresses, and no services. */
async function workloads(world: SecurityWorld, own: Certificate): Promise<void> {
  await world.config.write("waypoint.yaml", waypointDocuments("workload"));
  await world.config.write(
    "workload.yaml",
    withLabels(
      manifest("WorkloadEntry", "shop", {
        address: SERVER,
        labels: { "networking.mesh.io/tunnel": "http" },
        serviceAccount: "shop",
      }, SERVER_NAMESPACE),
      USE,
    ),
  );
  const ask = (to: string, at = "/") => async () =>
    (await throughTunnel({ at: WAYPOINT, to, own, path: at })).status;
  await becomes("a request to the workload", 200, ask(`${SERVER}:${world.http}`));
  await becomes("a request to the service", 0, ask(`${VIP.shop}:80`));
  const spec = target("Gateway", "wp", "gateway.networking.k8s.io", path("/shut"));
  await world.config.write("access.yaml", policy("AuthorizationPolicy", "access", spec));
  await becomes("a policy of the waypoint", 403, ask(`${SERVER}:${world.http}`, "/shut"));
}

interface Asked {
  readonly world: SecurityWorld;
  readonly ask: (more?: Partial<TunnelRequest>) => Promise<{ status: number; backend: string }>;
}

async function routes({ world, ask }: Asked): Promise<void> {
  await using plain = startBackend("other", "127.0.41.7");
  const match = [{ headers: { "x-to": { exact: "other" } } }];
  // The namespace of the client is that of its principal, not that of the service.
  const from = (sourceNamespace: string) => [{ sourceNamespace, uri: { exact: "/from" } }];
  await world.config.write("other.yaml", other(plain.port));
  await world.config.write(
    "routes.yaml",
    manifest("VirtualService", "shop", {
      hosts: ["shop.test"],
      http: [
        { match: from(SERVER_NAMESPACE), directResponse: { status: 418 } },
        { match: from("web"), directResponse: { status: 299 } },
        { match, route: [{ destination: { host: "other.test", port: { number: plain.port } } }] },
        {
          route: [{
            destination: { host: "shop.test" },
            headers: { response: { set: { via: "wp" } } },
          }],
        },
      ],
    }, SERVER_NAMESPACE),
  );
  const header = { headers: { "x-to": "other" } };
  await becomes(
    "the other service",
    1,
    async () => Number((await ask(header)).backend === "other"),
  );
  assert.equal((await ask()).backend, "shop");
  assert.equal((await ask({ path: "/from" })).status, 299, "a rule for the client's namespace");
}

async function policies({ world, ask }: Asked): Promise<void> {
  const status = (more: Partial<TunnelRequest>) => async () => (await ask(more)).status;
  const entry = "networking.mesh.io";
  const caller = {
    rules: [{ from: [{ source: { principals: ["cluster.local/ns/web/sa/caller"] } }] }],
  };
  const namespace = { rules: [{ from: [{ source: { namespaces: ["web"] } }] }] };
  const rules: readonly [string, Spec, Partial<TunnelRequest>][] = [
    ["of the service", target("ServiceEntry", "shop", entry, path("/closed")), { path: "/closed" }],
    ["of the waypoint", target("Gateway", "wp", "gateway.networking.k8s.io", path("/shut")), {
      path: "/shut",
    }],
    ["about its client", target("ServiceEntry", "shop", entry, caller), {}],
    ["about its client's namespace", target("ServiceEntry", "shop", entry, namespace), {}],
  ];
  for (const [what, spec, request] of rules) {
    await world.config.write("access.yaml", policy("AuthorizationPolicy", "access", spec));
    await becomes(`a request against the policy ${what}`, 403, status(request));
    if (request.path !== undefined) assert.equal((await ask()).status, 200, what);
  }
  const elsewhere = target("ServiceEntry", "till", entry, path("/closed"));
  await world.config.write("access.yaml", policy("AuthorizationPolicy", "access", elsewhere));
  await becomes("a policy of another service", 200, status({ path: "/closed" }));
}

const HTTP_FILTERS = {
  listener: "envoy.filters.network.http_connection_manager",
  last: "envoy.filters.http.router",
} as const;

/** Extensions that are attached to one service, to the waypoint and to its class act on these alone. */
async function extensions({ world, ask }: Asked, seen: () => string): Promise<void> {
  const lua = (name: string) => ({
    name,
    typedConfig: {
      "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
      defaultSourceCode: {
        inlineString:
          `function envoy_on_request(r) if r:headers():get("x-stop") == "${name}" then r:respond({[":status"] = "418"}, "") end end`,
      },
    },
  });
  const filter = (name: string, more: Spec, namespace: string) =>
    manifest("DataproxyFilter", name, {
      ...more,
      configPatches: [{
        applyTo: "HTTP_FILTER",
        match: {
          context: "WAYPOINT",
          waypoint: {
            portNumber: 80,
            filter: { name: HTTP_FILTERS.listener, subFilter: { name: HTTP_FILTERS.last } },
          },
        },
        patch: { operation: "INSERT_BEFORE", value: lua(name) },
      }],
    }, namespace).replace("networking.mesh.io/v1\n", "networking.mesh.io/v1alpha3\n");
  const targetRefs = (group: string, kind: string, name: string): Spec => ({
    targetRefs: [{ group, kind, name }],
  });
  const gateways = "gateway.networking.k8s.io";
  const ofShop = targetRefs("networking.mesh.io", "ServiceEntry", "shop");
  await ask({ path: "/unlogged" });
  await world.config.write(
    "extensions.yaml",
    documents(
      filter("service", ofShop, SERVER_NAMESPACE),
      filter("class", targetRefs(gateways, "GatewayClass", "mesh-waypoint"), "mesh-system"),
      filter("till", targetRefs("networking.mesh.io", "ServiceEntry", "till"), SERVER_NAMESPACE),
      toYaml({
        apiVersion: "telemetry.mesh.io/v1",
        kind: "Telemetry",
        metadata: { name: "log", namespace: SERVER_NAMESPACE },
        spec: { ...ofShop, accessLogging: [{ providers: [{ name: "dataproxy" }] }] },
      }),
    ),
  );
  const stop = (name: string) => async () => (await ask({ headers: { "x-stop": name } })).status;
  await becomes("a request at the filter of the service", 418, stop("service"));
  await becomes("a request at the filter of the class", 418, stop("class"));
  assert.equal(await stop("till")(), 200, "a filter of another service");
  await becomes("the log of the service", 1, async () => {
    await ask({ path: "/logged" });
    return Number(seen().includes("/logged"));
  });
  assert.ok(!seen().includes("/unlogged"), "a request before the log was asked for");
  await world.config.write("extensions.yaml", "");
  await becomes("a request without the filters", 200, stop("service"));
}

Deno.test(withCertificates("a waypoint routes, and applies policies", async (t) => {
  await using world = await startSecurityWorld({
    env: { PILOT_ENABLE_AMBIENT: "true" },
    agentEnv: { MESH_META_ENABLE_HBONE: "true" },
  });
  await using stack = new AsyncDisposableStack();
  await world.config.write("services.yaml", services(world));
  await world.config.write("waypoint.yaml", waypointDocuments("service"));
  const waypoint = await startWaypoint(stack, world);
  const own: Certificate = await world.certificate("web", "caller");
  const ask = async (more: Partial<TunnelRequest> = {}) => {
    const request = { at: WAYPOINT, to: `${VIP.shop}:80`, own, ...more };
    const { status, text } = await throughTunnel(request);
    return { status, backend: /"backend":"(\w+)"/.exec(text)?.[1] ?? "" };
  };
  const asked = { world, ask };
  await t.step("requests and connections", async () => {
    await becomes("a request through the waypoint", 200, async () => (await ask()).status);
    const { text } = await throughTunnel({
      at: WAYPOINT,
      to: `${VIP.till}:7000`,
      own,
      until: "till",
    });
    assert.match(text, /till/);
  });
  await t.step("it has what it serves, and nothing else", async () => {
    const names = (await waypoint.held("cluster")).filter((name) => name.includes("|")).sort();
    assert.deepEqual(names, [
      "inbound-vip|7000|tcp|till.test",
      "inbound-vip|80|http|shop.test",
    ]);
    assert.deepEqual(await waypoint.held("route"), ["inbound-vip|80|http|shop.test"]);
    assert.deepEqual((await waypoint.held("listener")).sort(), [
      "connect_originate",
      "connect_terminate",
      "main_internal",
    ]);
  });
  await t.step("destinations that are not bound to it are refused", async () => {
    for (const to of [`${SERVER}:${world.http}`, "240.0.41.9:80", `127.0.0.1:${world.http}`]) {
      assert.equal((await ask({ to })).status, 0, to);
    }
  });
  await t.step("routes", () => routes(asked));
  await t.step("policies", () => policies(asked));
  await t.step("extensions", () => extensions(asked, () => waypoint.program.output()));
  await t.step("gateways go through it where a service asks for that", () => ingress(world));
  await t.step("workloads", () => workloads(world, own));
  await t.step("nothing was rejected", async () => {
    for (const [name, count] of Object.entries(await waypoint.stats("update_rejected$"))) {
      assert.equal(count, 0, `${name}: ${waypoint.program.output().slice(-2000)}`);
    }
  });
}));
