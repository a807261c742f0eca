/**
 * Connections between all kinds of callers and destinations in ambient mode, with the real proxies: sidecar, ambient workload, program outside the mesh,
 * each to each, with and without a waypoint; the table of docs/ambient.md. Then what a waypoint does behind
 * real node proxies: routes of the Gateway API, tokens, policies, and a waypoint that does not exist.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { Explanation } from "../../lib/insight/verdict/mod.ts";
import {
  call,
  type Daemon,
  eventually,
  makeNodeNetwork,
  type NodeNetwork,
  startBackend,
} from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { service, USE_WAYPOINT, waypoint, workload } from "../support/ambient_objects.ts";
import { manifest, type Spec } from "../support/manifest.ts";
import { startCertifiedAgent } from "../support/identity.ts";
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

/** Addresses of the services, and the kinds of workloads behind them. */
const SERVICES = {
  sidecar: "10.96.8.1",
  ambient: "10.96.8.2",
  outside: "10.96.8.3",
  "wp-sidecar": "10.96.8.4",
  "wp-ambient": "10.96.8.5",
  "wp-outside": "10.96.8.6",
} as const;
type Service = keyof typeof SERVICES;
const BEHIND: readonly Service[] = ["wp-sidecar", "wp-ambient", "wp-outside"];
/** Programs outside first: when they are refused, the mode is in force for the others, too. */
const CALLERS = ["outside", "sidecar", "ambient"] as const;
type Caller = typeof CALLERS[number];

/** The outcome of a call: reached, reached through the waypoint, or refused. */
type Met = "reached" | "waypoint" | "refused";

/**
 * Sidecars apply rules themselves and send past waypoints. Programs outside know addresses of workloads
 * alone, so waypoints do not apply to them.
 */
const PERMISSIVE: Readonly<Record<Caller, Partial<Record<Service, Met>>>> = {
  sidecar: {
    sidecar: "reached",
    ambient: "reached",
    outside: "reached",
    "wp-sidecar": "reached",
    "wp-ambient": "reached",
    "wp-outside": "reached",
  },
  ambient: {
    sidecar: "reached",
    ambient: "reached",
    outside: "reached",
    "wp-sidecar": "waypoint",
    "wp-ambient": "waypoint",
    "wp-outside": "waypoint",
  },
  outside: { sidecar: "reached", ambient: "reached", outside: "reached" },
};
const STRICT: typeof PERMISSIVE = {
  ...PERMISSIVE,
  outside: { sidecar: "refused", ambient: "refused", outside: "reached" },
};

/** Addresses and ports of the proxies and programs. */
interface Places {
  readonly caller: NodeNetwork;
  readonly server: NodeNetwork;
  /** Addresses of the host that the namespaces reach. */
  readonly at: Readonly<
    Record<"sidecar" | "client" | "waypoint" | "outside" | "wpOutside", string>
  >;
  readonly sidecarPort: number;
  readonly outsidePorts: readonly [number, number];
}

async function makePlaces(stack: AsyncDisposableStack): Promise<Places> {
  const caller = stack.use(await makeNodeNetwork(113));
  const server = stack.use(await makeNodeNetwork(114));
  await link([caller, server], ["10.79.0.1", "10.79.0.2"]);
  for (
    const [from, to, via] of [[caller, server, "10.79.0.2"], [server, caller, "10.79.0.1"]] as const
  ) {
    await from.run("ip", "route", "add", to.address, "via", via, "src", from.address);
  }
  // What reaches the workload's address passes through its proxy.
  const redirect = ["-p", "tcp", "--dport", "8080", "-j", "REDIRECT", "--to-port", "15006"];
  await server.run("iptables", "-t", "nat", "-A", "PREROUTING", ...redirect);
  const [sidecar, client, waypoint, outside, wpOutside] = await Promise.all(
    [11, 12, 13, 14, 15].map((last) => server.addHostAddress(last)),
  ) as [string, string, string, string, string];
  const behind = stack.use(startBackend("sidecar"));
  const outsides = [
    stack.use(startBackend("outside", outside)),
    stack.use(
      startBackend("outside", wpOutside),
    ),
  ] as const;
  return {
    caller,
    server,
    at: { sidecar, client, waypoint, outside, wpOutside },
    sidecarPort: behind.port,
    outsidePorts: [outsides[0].port, outsides[1].port],
  };
}

function entry(name: Service, spec: Spec, labels?: Readonly<Record<string, string>>): string {
  return service(name, SERVICES[name], spec, labels);
}

function objectsOf({ caller, server, at, sidecarPort, outsidePorts }: Places): string[] {
  const port = (targetPort: number) => [{ number: 80, name: "http", protocol: "HTTP", targetPort }];
  const selecting = (app: string, to: number): Spec => ({
    location: "MESH_INTERNAL",
    ports: port(to),
    workloadSelector: { labels: { app } },
  });
  const listing = (address: string, to: number): Spec => ({
    location: "MESH_EXTERNAL",
    ports: port(to),
    endpoints: [{ address, labels: { app: "outside" } }],
  });
  return [
    workload("caller", caller.address),
    workload("ambient", server.address),
    workload("sidecar", at.sidecar, "mesh"),
    entry("sidecar", selecting("sidecar", sidecarPort)),
    entry("ambient", selecting("ambient", 8080)),
    entry("outside", listing(at.outside, outsidePorts[0])),
    entry("wp-sidecar", selecting("sidecar", sidecarPort), USE_WAYPOINT),
    entry("wp-ambient", selecting("ambient", 8080), USE_WAYPOINT),
    entry("wp-outside", listing(at.wpOutside, outsidePorts[1]), USE_WAYPOINT),
    waypoint(at.waypoint),
    routeOf("wp-ambient"),
    ...BEHIND.map((name) => marked(name)),
    // Nothing redirects what sidecars send: the client's takes calls at its own address, the server's none.
    sidecarOf("client", { number: 80, protocol: "HTTP", bind: at.client }),
    sidecarOf("sidecar", { number: 9, protocol: "TCP", bind: at.sidecar }),
  ];
}

function sidecarOf(
  app: string,
  { number, protocol, bind }: { number: number; protocol: string; bind: string },
): string {
  const port = { number, protocol, name: protocol.toLowerCase() };
  return manifest("Sidecar", app, {
    workloadSelector: { labels: { app } },
    egress: [{ port, bind, captureMode: "NONE", hosts: ["*/*"] }],
  }, "shop");
}

const atService = (name: Service, spec: Spec): Spec => ({
  targetRefs: [{ group: "networking.mesh.io", kind: "ServiceEntry", name }],
  ...spec,
});

/** A policy that waypoints alone apply: a request with this path tells if it passed through one. */
function marked(name: Service): string {
  const rules = [{ to: [{ operation: { paths: ["/mark"] } }] }];
  return policy("AuthorizationPolicy", `mark-${name}`, atService(name, { action: "DENY", rules }));
}

/** A route of the Gateway API that marks answers of the waypoint, and has a path of its own. */
function routeOf(name: Service): string {
  const marks = (value: string) => [{
    type: "ResponseHeaderModifier",
    responseHeaderModifier: { set: [{ name: "x-via", value }] },
  }];
  const backendRefs = [{
    group: "networking.mesh.io",
    kind: "Hostname",
    name: `${name}.test`,
    port: 80,
  }];
  return toYaml({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name, namespace: "shop" },
    spec: {
      parentRefs: [{ group: "networking.mesh.io", kind: "ServiceEntry", name }],
      rules: [{
        matches: [{ path: { type: "PathPrefix", value: "/special" } }],
        filters: marks("special"),
        backendRefs,
      }, { filters: marks("waypoint"), backendRefs }],
    },
  });
}

async function startProxies(mesh: AmbientMesh, { caller, server, at }: Places): Promise<void> {
  const { stack, issuer, root, dir, port } = mesh;
  stack.use(startEcho(server));
  const starter = { issuer, root, dir, xds: `localhost:${port}` };
  const of = (name: string, ip: string, role: "sidecar" | "waypoint" = "sidecar") =>
    startCertifiedAgent(starter, {
      role,
      name,
      namespace: "shop",
      ip,
      labels: role === "waypoint"
        ? { "gateway.networking.k8s.io/gateway-name": "wp" }
        : { app: name },
      env: { MESH_META_ENABLE_HBONE: "true" },
    });
  const started = await Promise.all([
    of("sidecar", at.sidecar),
    of("client", at.client),
    of("wp", at.waypoint, "waypoint"),
    proxyOf(mesh, { network: server, name: "ambient", address: server.address }),
    proxyOf(mesh, { network: caller, name: "caller", address: caller.address }),
  ]);
  for (const one of started.slice(0, 3)) stack.use(one);
}

const SHOWN = ["-w", "\n%{http_code} via=%header{x-via}"];

/** The outcome of a caller at a service. */
async function meets(places: Places, caller: Caller, service: Service): Promise<string> {
  const status = await statusOf(places, caller, service, "/");
  if (status !== 200) return status === 0 ? "refused" : `${status}`;
  return await statusOf(places, caller, service, "/mark") === 403 ? "waypoint" : "reached";
}

/** The status of a request; 0: there is no answer. */
async function statusOf(
  { at, caller: network, server, sidecarPort, outsidePorts }: Places,
  caller: Caller,
  service: Service,
  path: string,
): Promise<number> {
  if (caller === "ambient") {
    const shown = await ask(network, `${SERVICES[service]}${path}`, ...SHOWN);
    return Number(/\n(\d+) via=/.exec(shown)?.[1] ?? 0);
  }
  const direct: Partial<Record<Service, string>> = {
    sidecar: `${at.sidecar}:${sidecarPort}`,
    ambient: `${server.address}:8080`,
    outside: `${at.outside}:${outsidePorts[0]}`,
  };
  const host = caller === "sidecar" ? { host: `${service}.test` } : {};
  const to = caller === "sidecar" ? at.client : direct[service];
  try {
    return (await call(`http://${to}${path}`, { timeoutMs: 5_000, ...host })).status;
  } catch {
    return 0;
  }
}

/** The outcome that the daemon predicts. */
async function explained(
  daemon: Daemon,
  { at, server, sidecarPort, outsidePorts }: Places,
  [caller, service, met]: readonly [Caller, Service, Met],
): Promise<string> {
  const direct: Partial<Record<Service, string>> = {
    sidecar: `${at.sidecar}:${sidecarPort}`,
    ambient: `${server.address}:8080`,
    outside: `${at.outside}:${outsidePorts[0]}`,
  };
  const from = { sidecar: "client.shop", ambient: "caller.shop", outside: "192.0.2.20" }[caller];
  const to = caller === "outside" ? direct[service] : `${service}.test`;
  const asked = async (path: string): Promise<Explanation> =>
    await daemon.debug<Explanation>(`request?from=${from}&url=http://${to}${path}`);
  const { outcomes, hops } = await asked("/");
  const [outcome] = outcomes;
  if (outcomes.length !== 1 || outcome?.kind !== "reached") {
    if (outcome?.kind !== met) return JSON.stringify({ hops, outcomes });
    return met;
  }
  const [marked] = (await asked("/mark")).outcomes;
  return marked?.kind === "refused" && marked.status === 403 ? "waypoint" : "reached";
}

async function whole(
  { daemon }: AmbientMesh,
  places: Places,
  wanted: typeof PERMISSIVE,
): Promise<void> {
  for (const caller of CALLERS) {
    for (const [service, met] of Object.entries(wanted[caller]) as [Service, Met][]) {
      let last = "";
      await eventually(`${caller} → ${service} to be ${met}`, async () => {
        last = await meets(places, caller, service);
        return last === met;
      }).catch(() => assert.equal(last, met, `${caller} → ${service}`));
      const told = await explained(daemon, places, [caller, service, met]);
      assert.equal(told, met, `${caller} → ${service}, explained`);
    }
  }
}

const name = "who reaches whom: sidecars, node proxies, waypoints, programs outside";

Deno.test({
  name: LACKING === undefined ? name : `${name} [${LACKING}]`,
  ignore: LACKING !== undefined,
  fn: async (t) => {
    await using stack = new AsyncDisposableStack();
    const places = await makePlaces(stack);
    const mesh = await startAmbientMesh(stack, objectsOf(places));
    await startProxies(mesh, places);
    const { config } = mesh;
    /** The answer of an ambient client to a service behind the waypoint. */
    const behind = async (path: string, ...options: string[]) => {
      const shown = await ask(
        places.caller,
        `${SERVICES["wp-ambient"]}${path}`,
        ...SHOWN,
        ...options,
      );
      return shown.split("\n").at(-1)!;
    };
    const becomes = async (what: string, wanted: string, act: () => Promise<string>) => {
      let last = "";
      await eventually(`${what}: ${wanted}`, async () => (last = await act()) === wanted)
        .catch(() => assert.equal(last, wanted, what));
    };
    const target = (spec: Spec) => atService("wp-ambient", spec);

    await t.step("the mode PERMISSIVE", () => whole(mesh, places, PERMISSIVE));
    await t.step("the mode STRICT", async () => {
      await config.write(
        "peer.yaml",
        policy("PeerAuthentication", "p", { mtls: { mode: "STRICT" } }),
      );
      await whole(mesh, places, STRICT);
      await config.remove("peer.yaml");
    });
    await t.step("HTTPRoutes at the waypoint", async () => {
      await becomes("the path of a rule", "200 via=special", () => behind("/special/1"));
    });
    await t.step(
      "policies at the waypoint know paths and the client of the node proxy",
      async () => {
        const rule = (operation: Spec, principal: string): Spec => ({
          to: [{ operation }],
          from: [{ source: { principals: [`cluster.local/ns/shop/sa/${principal}`] } }],
        });
        await config.write(
          "access.yaml",
          policy(
            "AuthorizationPolicy",
            "a",
            target({
              action: "DENY",
              rules: [
                rule({ paths: ["/closed"] }, "caller"),
                rule({ paths: ["/others"] }, "somebody"),
              ],
            }),
          ),
        );
        await becomes("a path that is denied", "403 via=waypoint", () => behind("/closed"));
        assert.equal(await behind("/others"), "200 via=waypoint");
        await config.remove("access.yaml");
      },
    );
    await t.step("RequestAuthentication at the waypoint", async () => {
      const { issuer, jwksUri } = JSON.parse(mesh.issuer.rule);
      await config.write(
        "tokens.yaml",
        policy(
          "RequestAuthentication",
          "t",
          target({ jwtRules: [{ issuer, jwksUri }] }),
        ),
      );
      const token = await mesh.issuer.token("shop", "caller");
      const bearer = (text: string) => ["-H", `Authorization: Bearer ${text}`];
      await becomes("a false token", "401 via=waypoint", () => behind("/", ...bearer("x.y.z")));
      await becomes("a token", "200 via=waypoint", () => behind("/", ...bearer(token)));
      assert.equal(await behind("/"), "200 via=waypoint");
      await config.remove("tokens.yaml");
    });
    await t.step("a waypoint that does not exist: traffic goes on without it", async () => {
      const documents = objectsOf(places).map((text) =>
        /^kind: ServiceEntry/m.test(text) && text.includes("name: wp-ambient\n")
          ? text.replace("mesh.io/use-waypoint: wp", "mesh.io/use-waypoint: absent")
          : text
      );
      await config.write("mesh.yaml", documents.join("---\n"));
      await becomes("a request", "200 via=", () => behind("/"));
      const { problems } = await mesh.daemon.debug<{ problems: unknown[] }>("ambientz");
      assert.match(JSON.stringify(problems), /WaypointMissing/);
    });
  },
});
