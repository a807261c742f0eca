/**
 * Two networks that meet at a gateway of the class `mesh-east-west` alone, with real node proxies, and real
 * Envoys as gateway, waypoints and sidecar: clients of one network reach global services of the other one by a
 * tunnel in a tunnel.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  call,
  eventually,
  makeNodeNetwork,
  type NodeNetwork,
  startBackend,
} from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import type { Explanation } from "../../lib/insight/verdict/mod.ts";
import { service, workload } from "../support/ambient_objects.ts";
import { startCertifiedAgent } from "../support/identity.ts";
import { manifest, type Spec } from "../support/manifest.ts";
import {
  type AmbientMesh,
  ask,
  LACKING,
  link,
  proxyOf,
  startAmbientMesh,
  startEcho,
} from "./ambient/mesh.ts";
import { policy } from "./security/world.ts";

const GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name";
const GLOBAL = { "mesh.io/global": "true" };

/** Addresses of the services, whose workload is in the other network. */
const SERVICES = {
  web: "10.96.9.1",
  own: "10.96.9.2",
  "behind-far": "10.96.9.3",
  "behind-near": "10.96.9.4",
  beside: "10.96.9.5",
  "behind-captured": "10.96.9.6",
} as const;
type Service = keyof typeof SERVICES;

const SPEC: Spec = {
  location: "MESH_INTERNAL",
  ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: 8080 }],
  workloadSelector: { labels: { app: "web" } },
};

function gateway(name: string, gatewayClassName: string, more: Spec = {}): string {
  const isBetween = gatewayClassName !== "mesh-waypoint";
  return toYaml({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: {
      name,
      namespace: "shop",
      labels: isBetween ? { "topology.mesh.io/network": "far" } : {},
      annotations: isBetween ? { "gateway.mesh.io/service-account": "ew" } : {},
    },
    spec: {
      gatewayClassName,
      listeners: [{ name: "mesh", port: 15008, protocol: "HBONE" }],
      ...more,
    },
  });
}

/** The networks, and addresses of the host that they reach. */
interface Places {
  readonly client: NodeNetwork;
  readonly server: NodeNetwork;
  /** The gateway's. */
  readonly border: string;
  readonly sidecar: string;
  readonly near: string;
  readonly far: string;
  /** A sidecar of the other network, and the port of its workload. */
  readonly beside: string;
  readonly besidePort: number;
  /** A namespace with the node proxy of a waypoint, and where that proxy passes connections on to. */
  readonly front: NodeNetwork;
  readonly captured: string;
  /** A program outside the mesh, at the same address. */
  readonly plainPort: number;
}

async function makePlaces(stack: AsyncDisposableStack): Promise<Places> {
  const client = stack.use(await makeNodeNetwork(117));
  const server = stack.use(await makeNodeNetwork(118));
  const front = stack.use(await makeNodeNetwork(119));
  // Each network has routes to the host alone.
  for (const one of [client, server, front]) await one.run("ip", "route", "del", "default");
  await link([client, front], ["10.79.9.1", FRONT]);
  const [sidecar, near, far, beside, captured] = await Promise.all([
    client.addHostAddress(21),
    client.addHostAddress(22),
    server.addHostAddress(23),
    server.addHostAddress(24),
    front.addHostAddress(25),
  ]);
  for (
    const [one, at] of [[client, sidecar], [client, near], [server, far], [
      front,
      captured,
    ]] as const
  ) {
    await one.run("ip", "route", "add", `${at}/32`, "via", one.host);
  }
  const besidePort = stack.use(startBackend("beside")).port;
  const plainPort = stack.use(startBackend("plain", captured)).port;
  // The waypoint's proxy is on the host, where loopback addresses of the namespace do not lead.
  stack.use(startRelay(front, captured));
  return {
    ...{ client, server, border: client.host, sidecar, near, far, beside, besidePort },
    ...{ front, captured, plainPort },
  };
}

/** Passes connections to port 15088 of loopback of a namespace on to an address. */
function startRelay(network: NodeNetwork, address: string): AsyncDisposable {
  const script = `for await (const one of Deno.listen({ port: 15088, hostname: "127.0.0.1" })) {
      Deno.connect({ port: 15088, hostname: "${address}" }).then((other) =>
        Promise.all([one.readable.pipeTo(other.writable), other.readable.pipeTo(one.writable)])
      ).catch(() => {});
    }`;
  return network.start(Deno.execPath(), ["eval", script]);
}

/** The address of the node proxy of the waypoint behind it. */
const FRONT = "10.79.9.2";

/** A waypoint with the service in front of its proxy. */
function waypoint(name: string, address: string, network: string): string[] {
  return [
    gateway(name, "mesh-waypoint").replace(
      "annotations: {}",
      name === "captured"
        ? "annotations: {ambient.mesh.io/waypoint-inbound-binding: PROXY/15088}"
        : "annotations: {}",
    ),
    service(name, `10.96.10.${name.length}`, {
      hosts: [`${name}-mesh-waypoint.shop.svc.cluster.local`],
      location: "MESH_INTERNAL",
      ports: [{ number: 15008, name: "mesh", protocol: "TLS" }],
      endpoints: [{ address, network, serviceAccount: name, labels: { [GATEWAY_NAME]: name } }],
    }, network === "far" ? GLOBAL : {}),
  ];
}

/** A policy that the waypoint of a service applies: a request with this path tells if it passed through. */
function marked(name: Service): string {
  return policy("AuthorizationPolicy", `mark-${name}`, {
    targetRefs: [{ group: "networking.mesh.io", kind: "ServiceEntry", name }],
    action: "DENY",
    rules: [{ to: [{ operation: { paths: ["/mark"] } }] }],
  });
}

/** @param entrance address of the gateway, as the other network knows it */
function objectsOf(places: Places, entrance: Spec = { value: places.border }): string[] {
  const { client, server, sidecar, near, far, beside, besidePort } = places;
  const behind = (name: string) => ({ ...GLOBAL, "mesh.io/use-waypoint": name });
  const sidecarOf = (app: string, port: Spec, bind: string) =>
    manifest("Sidecar", app, {
      workloadSelector: { labels: { app } },
      egress: [{ port, bind, captureMode: "NONE", hosts: ["*/*"] }],
    }, "shop");
  return [
    toYaml({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "mesh-system", labels: { "topology.mesh.io/network": "near" } },
    }),
    workload("client", client.address, "disabled", "near"),
    workload("web", server.address, "disabled", "far"),
    service("web", SERVICES.web, SPEC, GLOBAL),
    service("own", SERVICES.own, SPEC),
    service("behind-far", SERVICES["behind-far"], SPEC, behind("wp-far")),
    service("behind-near", SERVICES["behind-near"], SPEC, behind("wp-near")),
    ...waypoint("wp-far", far, "far"),
    ...waypoint("wp-near", near, "near"),
    ...waypoint("captured", FRONT, "near"),
    service("behind-captured", SERVICES["behind-captured"], {
      location: "MESH_EXTERNAL",
      ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: places.plainPort }],
      endpoints: [{ address: places.captured, network: "near" }],
    }, { "mesh.io/use-waypoint": "captured" }),
    policy("AuthorizationPolicy", "mark-captured", {
      targetRefs: [{ group: "networking.mesh.io", kind: "ServiceEntry", name: "behind-captured" }],
      action: "DENY",
      rules: [{
        to: [{ operation: { paths: ["/mark"] } }],
        from: [{ source: { principals: ["cluster.local/ns/shop/sa/client"] } }],
      }, {
        from: [{ source: { notPrincipals: ["cluster.local/ns/shop/sa/client"] } }],
      }],
    }),
    marked("behind-far"),
    marked("behind-near"),
    gateway("ew", "mesh-east-west"),
    gateway("far", "mesh-remote", { addresses: [entrance] }),
    workload("beside", beside, "mesh", "far"),
    service("beside", SERVICES.beside, {
      ...SPEC,
      ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: besidePort }],
      workloadSelector: { labels: { app: "beside" } },
    }, GLOBAL),
    sidecarOf("sidecar", { number: 80, protocol: "HTTP", name: "http" }, sidecar),
    sidecarOf("beside", { number: 9, protocol: "TCP", name: "tcp" }, beside),
  ];
}

/** Starts the proxy of a gateway or a sidecar. */
async function startEnvoy(
  { stack, issuer, root, dir, port }: AmbientMesh,
  [name, ip, network]: readonly [string, string, string],
): Promise<Agent> {
  const role = name.includes("side") ? "sidecar" : "waypoint";
  return stack.use(
    await startCertifiedAgent({ issuer, root, dir, xds: `localhost:${port}` }, {
      role,
      name,
      namespace: "shop",
      ip,
      labels: role === "sidecar" ? { app: name } : { [GATEWAY_NAME]: name },
      env: {
        MESH_META_NETWORK: network,
        ...(role === "sidecar" ? { MESH_META_ENABLE_HBONE: "true" } : {}),
      },
      proxyConfig: {
        proxyStatsMatcher: { inclusionRegexps: [".*inbound-vip.*upstream_cx_total"] },
      },
    }),
  );
}

const name = "two networks: global services are reached through the gateway between them";

Deno.test({
  name: LACKING === undefined ? name : `${name} [${LACKING}]`,
  ignore: LACKING !== undefined,
  fn: async (t) => {
    await using stack = new AsyncDisposableStack();
    const places = await makePlaces(stack);
    const { client, server, border, sidecar, near, far } = places;
    const mesh = await startAmbientMesh(stack, objectsOf(places), {
      AMBIENT_ENABLE_MULTI_NETWORK: "true",
    });
    stack.use(startEcho(server));
    const own = (name: string, network: NodeNetwork, inNetwork: string) =>
      proxyOf(mesh, { network, name, address: network.address, inNetwork });
    const [entrance, serving] = await Promise.all([
      startEnvoy(mesh, ["ew", border, "far"]),
      own("web", server, "far"),
      own("client", client, "near"),
      startEnvoy(mesh, ["sidecar", sidecar, "near"]),
      startEnvoy(mesh, ["beside", places.beside, "far"]),
      startEnvoy(mesh, ["wp-near", near, "near"]),
      startEnvoy(mesh, ["captured", places.captured, "near"]),
      proxyOf(mesh, { network: places.front, name: "captured", address: FRONT, inNetwork: "near" }),
      startEnvoy(mesh, ["wp-far", far, "far"]),
    ]);
    /** Waits for an answer to the node proxy's client. */
    const answers = async (service: Service, pattern: RegExp, path = "/") => {
      let last = "";
      await eventually(
        `${service} to be ${pattern}`,
        async () => pattern.test(last = await ask(client, `${SERVICES[service]}${path}`)),
      ).catch(() => assert.match(last, pattern, `${service}: ${last}`));
    };
    const REACHED = /^reached from /;
    /** Connections that the gateway forwarded. */
    const forwarded = async (service: Service) => {
      const stats = await entrance.stats(`inbound-vip.*${service}.test.*upstream_cx_total`);
      return Object.values(stats).reduce((sum, one) => sum + one, 0);
    };

    /** The way that the daemon tells, and the outcome. */
    const explained = async (from: string, to: string, path = "/"): Promise<string> => {
      const question = `request?from=${from}.shop&url=http://${to}.test${path}`;
      const { hops, outcomes } = await mesh.daemon.debug<Explanation>(question);
      const way = hops.map(({ proxy }) => proxy.replace("node proxy of ", "~"));
      const short = way.map((one) => one.replace(".shop", "")).join(" ");
      return `${outcomes.map(({ kind }) => kind).join("+")}: ${short}`;
    };
    await t.step("node proxy to node proxy", async () => {
      await answers("web", REACHED);
      assert.ok(await forwarded("web") > 0);
      assert.equal(await explained("client", "web"), "reached: ~client ew ~web");
    });
    await t.step("a service that is not global is not reached", async () => {
      await answers("own", /^refused/);
      assert.equal(await explained("client", "own"), "refused: ~client");
    });
    await t.step("node proxy to a waypoint of the other network", async () => {
      await answers("behind-far", REACHED);
      await answers("behind-far", /RBAC: access denied/, "/mark");
      assert.ok(await forwarded("behind-far") > 0);
      const way = "~client ew wp-far";
      assert.equal(await explained("client", "behind-far"), `reached: ${way} ~web`);
      assert.equal(await explained("client", "behind-far", "/mark"), `refused: ${way}`);
    });
    await t.step("through a waypoint of the client's network", async () => {
      await answers("behind-near", REACHED);
      await answers("behind-near", /RBAC: access denied/, "/mark");
      assert.ok(await forwarded("behind-near") > 0);
      const way = "~client wp-near";
      assert.equal(await explained("client", "behind-near"), `reached: ${way} ew ~web`);
      assert.equal(await explained("client", "behind-near", "/mark"), `refused: ${way}`);
    });
    await t.step("through a waypoint behind a node proxy, which knows the client", async () => {
      await answers("behind-captured", /"backend":"plain"/);
      await answers("behind-captured", /RBAC: access denied/, "/mark");
    });
    const fromSidecar = async (service: Service): Promise<number> => {
      const host = `${service}.test`;
      return await call(`http://${sidecar}/`, { host, timeoutMs: 5_000 })
        .then(({ status }) => status, () => 0);
    };
    await t.step("sidecar to node proxy", async () => {
      const before = await forwarded("web");
      let last = 0;
      await eventually(
        "the sidecar's request",
        async () => (last = await fromSidecar("web")) === 200,
      )
        .catch(() => assert.equal(last, 200));
      assert.ok(await forwarded("web") > before);
      assert.equal(await fromSidecar("own"), 503);
      assert.equal(await explained("sidecar", "web"), "reached: sidecar ew ~web");
      assert.equal(await explained("sidecar", "own"), "refused: sidecar");
    });
    await t.step("node proxy and sidecar to a sidecar of the other network", async () => {
      await answers("beside", /"backend":"beside"/);
      const before = await forwarded("beside");
      assert.ok(before > 0);
      await eventually("the sidecar's request", async () => await fromSidecar("beside") === 200);
      assert.ok(await forwarded("beside") > before);
      await mesh.config.write(
        "policy.yaml",
        policy("AuthorizationPolicy", "a", {
          selector: { matchLabels: { app: "beside" } },
          action: "DENY",
          rules: [{ from: [{ source: { principals: ["cluster.local/ns/shop/sa/client"] } }] }],
        }),
      );
      await answers("beside", /RBAC: access denied/);
      assert.equal(await explained("client", "beside"), "refused: ~client ew beside");
      assert.equal(await fromSidecar("beside"), 200);
      await mesh.config.remove("policy.yaml");
      await answers("beside", /"backend":"beside"/);
    });
    await t.step(
      "the server denies the client and the sidecar by identity",
      async () => {
        const reached: Record<string, () => Promise<boolean>> = {
          client: async () => REACHED.test(await ask(client, `${SERVICES.web}/`)),
          sidecar: async () => await fromSidecar("web") === 200,
        };
        for (const account of Object.keys(reached)) {
          const denied = { source: { principals: [`cluster.local/ns/shop/sa/${account}`] } };
          await mesh.config.write(
            "policy.yaml",
            policy("AuthorizationPolicy", "a", {
              selector: { matchLabels: { app: "web" } },
              action: "DENY",
              rules: [{ from: [denied] }],
            }),
          );
          const others = Object.keys(reached).filter((one) => one !== account);
          await eventually(`${account} to be denied`, async () => !await reached[account]!());
          for (const one of others) {
            await eventually(`${one} to be allowed`, () => reached[one]!());
          }
          for (const one of Object.keys(reached)) {
            const outcome = one === account ? "refused" : "reached";
            const start = one === "client" ? "~client" : one;
            assert.equal(await explained(one, "web"), `${outcome}: ${start} ew ~web`);
          }
        }
        await mesh.config.remove("policy.yaml");
        await answers("web", REACHED);
      },
    );
    await t.step(
      "a policy of the namespace ends connections that a waypoint has open",
      async () => {
        await answers("behind-near", REACHED);
        const denied = { source: { principals: ["cluster.local/ns/shop/sa/wp-near"] } };
        await mesh.config.write(
          "policy.yaml",
          policy("AuthorizationPolicy", "a", { action: "DENY", rules: [{ from: [denied] }] }),
        );
        await answers("behind-near", /upstream connect error/);
        await mesh.config.remove("policy.yaml");
        await answers("behind-near", REACHED);
      },
    );
    await t.step("a policy for the gateway refuses clients and services", async () => {
      const client = { source: { principals: ["cluster.local/ns/shop/sa/client"] } };
      const write = (rule: Spec) =>
        mesh.config.write(
          "policy.yaml",
          policy("AuthorizationPolicy", "a", {
            targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "ew" }],
            action: "DENY",
            rules: [rule],
          }),
        );
      await write({ from: [client] });
      await answers("web", /^refused/);
      assert.equal(await explained("client", "web"), "refused: ~client ew");
      assert.equal(await explained("sidecar", "web"), "reached: sidecar ew ~web");
      await eventually("the sidecar's request", async () => await fromSidecar("web") === 200);
      await write({
        from: [client],
        to: [{ operation: { hosts: ["beside.test"], ports: ["80"] } }],
      });
      await answers("web", REACHED);
      await answers("beside", /^refused/);
      assert.equal(await explained("client", "beside"), "refused: ~client ew");
      await mesh.config.remove("policy.yaml");
      await answers("beside", /"backend":"beside"/);
    });
    await t.step("the gateway is replaced", async () => {
      await entrance[Symbol.asyncDispose]();
      // Their connections end with it, so the server tells who they were.
      for (const account of ["client", "sidecar", "wp-near"]) {
        const identity = `src.identity="spiffe://cluster.local/ns/shop/sa/${account}"`;
        await serving.program.printed(new RegExp(`connection complete.*${identity}`));
      }
      await answers("web", /^refused/);
      assert.equal(await explained("client", "web"), "unknown: ~client");
      await using _ = await startEnvoy(mesh, ["ew", border, "far"]);
      await answers("web", REACHED);
      await eventually("the sidecar's request", async () => await fromSidecar("web") === 200);
    });
    await t.step(
      "the gateway has a host name, which the daemon resolves for the sidecar",
      async () => {
        await startEnvoy(mesh, ["ew", "127.0.0.1", "far"]);
        const objects = objectsOf(places, { type: "Hostname", value: "localhost" });
        await mesh.config.write("mesh.yaml", objects.join("---\n"));
        await eventually("the sidecar's request", async () => await fromSidecar("web") === 200);
      },
    );
  },
});
