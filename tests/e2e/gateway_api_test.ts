/**
 * The Gateway API from files, by requests to real Envoys that somebody else started: each is behind the
 * ServiceEntry that a Gateway has as its address.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Answer,
  call,
  eventually,
  freePorts,
  startBackend,
} from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { documents, endpoint, manifest, NAMESPACE, type Spec } from "../support/manifest.ts";
import {
  assertNothingRejected,
  eachTransport,
  startWorld,
  type TestProxy,
  type Transport,
  type World,
} from "../support/world.ts";
import { answersHttps, makePki, startTlsBackend } from "./tls/bench.ts";

const OTHER = "other";

function api(kind: string, name: string, spec: Spec, namespace = NAMESPACE): string {
  const apiVersion = "gateway.networking.k8s.io/v1";
  return toYaml({ apiVersion, kind, metadata: { name, namespace }, spec });
}

const hostOf = (name: string) => `${name}.${NAMESPACE}.svc.cluster.local`;

/** A service with a backend on this machine; a reference to a Service of this name finds it. */
function service(name: string, port: number, protocol = "HTTP"): string {
  return manifest("ServiceEntry", name, {
    hosts: [hostOf(name)],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "main", protocol }],
    endpoints: [endpoint(port)],
  });
}

/** Ports of the listeners of a proxy: both run on this machine. */
type Ports = Readonly<
  Record<Transport, { readonly http: number; readonly tls: number; readonly https: number }>
>;

/** A Gateway for each proxy, and what is in front of it. */
function gateways(ports: Ports): string {
  return documents(...eachTransport((transport) => {
    const { http, tls, https } = ports[transport];
    const front = manifest("ServiceEntry", `edge-${transport}`, {
      hosts: [hostOf(`edge-${transport}`)],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [
        { number: http, name: "http", protocol: "HTTP" },
        { number: tls, name: "tls", protocol: "TLS" },
        { number: https, name: "https", protocol: "HTTPS" },
      ],
      workloadSelector: { labels: { transport, kind: "router" } },
    });
    const allowedRoutes = { namespaces: { from: "All" } };
    return documents(
      front,
      api("Gateway", `edge-${transport}`, {
        gatewayClassName: "mesh",
        addresses: [{ type: "Hostname", value: hostOf(`edge-${transport}`) }],
        listeners: [
          { name: "open", port: http, protocol: "HTTP", allowedRoutes },
          { name: "own", port: http, protocol: "HTTP", hostname: "*.own.test" },
          {
            name: "https",
            port: https,
            protocol: "HTTPS",
            hostname: "one.tls.test",
            tls: { certificateRefs: [{ name: "one" }] },
          },
          {
            name: "tls",
            port: tls,
            protocol: "TLS",
            tls: { mode: "Passthrough" },
            allowedRoutes,
          },
        ],
      }),
    );
  }));
}

const PARENTS = eachTransport((transport) => ({ name: `edge-${transport}`, namespace: NAMESPACE }));

function route(
  name: string,
  hostnames: readonly string[],
  rules: readonly Spec[],
  space = NAMESPACE,
) {
  return api("HTTPRoute", name, { parentRefs: PARENTS, hostnames, rules }, space);
}

const to = (name: string, more: Spec = {}): Spec => ({ name, port: 80, ...more });

interface Bench {
  readonly world: World;
  /** Asks every proxy until the answer is right. */
  readonly meets: (
    path: string,
    host: string,
    right: (answer: Answer) => boolean,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<void>;
  readonly ask: (proxy: TestProxy, path: string, host: string) => Promise<Answer>;
}

const by = (name: string) => ({ echo }: Answer) => echo?.backend === name;
const status = (code: number) => (answer: Answer) => answer.status === code;

interface Case {
  readonly name: string;
  readonly run: (bench: Bench) => Promise<void>;
}

const CASES: readonly Case[] = [
  {
    name: "paths by elements, headers, and no backend",
    run: async ({ world, meets }) => {
      const header = { name: "x-to", value: "b" };
      await world.config.write(
        "paths.yaml",
        route("paths", ["paths.test"], [
          { matches: [{ path: { value: "/" } }], backendRefs: [to("a")] },
          { matches: [{ path: { value: "/b" } }], backendRefs: [to("b")] },
          { matches: [{ path: { type: "Exact", value: "/b/a" } }], backendRefs: [to("a")] },
          { matches: [{ headers: [header] }], backendRefs: [to("b")] },
          { matches: [{ path: { value: "/none" } }], backendRefs: [to("absent")] },
          { matches: [{ path: { value: "/nobody" } }] },
        ]),
      );
      await meets("/", "paths.test", by("a"));
      await meets("/b", "paths.test", by("b"));
      await meets("/b/c", "paths.test", by("b"));
      await meets("/bc", "paths.test", by("a"));
      await meets("/b/a", "paths.test", by("a"));
      await meets("/", "paths.test", by("b"), { "x-to": "b" });
      await meets("/none", "paths.test", status(500));
      await meets("/nobody", "paths.test", status(500));
      await meets("/", "unknown.test", status(404));
    },
  },
  {
    name: "rewrites, redirects, header changes and timeouts",
    run: async ({ world, meets }) => {
      const rewrite = (replacePrefixMatch: string) => ({
        type: "URLRewrite",
        urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch } },
      });
      const redirect = (more: Spec) => ({ type: "RequestRedirect", requestRedirect: more });
      const under = (value: string) => [{ path: { value } }];
      await world.config.write(
        "filters.yaml",
        route("filters", ["filters.test"], [
          { matches: under("/cut"), filters: [rewrite("/")], backendRefs: [to("a")] },
          { matches: under("/swap"), filters: [rewrite("/x/")], backendRefs: [to("a")] },
          {
            matches: under("/gone"),
            filters: [redirect({
              hostname: "new.test",
              path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/here" },
            })],
          },
          { matches: under("/late"), timeouts: { request: "100ms" }, backendRefs: [to("a")] },
          {
            matches: under("/headers"),
            filters: [
              {
                type: "RequestHeaderModifier",
                requestHeaderModifier: { set: [{ name: "x-a", value: "1" }], remove: ["x-b"] },
              },
              {
                type: "ResponseHeaderModifier",
                responseHeaderModifier: { add: [{ name: "x-c", value: "2" }] },
              },
            ],
            backendRefs: [to("a")],
          },
        ]),
      );
      await meets("/cut/deep", "filters.test", ({ echo }) => echo?.path === "/deep");
      await meets("/cut", "filters.test", ({ echo }) => echo?.path === "/");
      await meets("/swap/deep", "filters.test", ({ echo }) => echo?.path === "/x/deep");
      await meets(
        "/gone/deep",
        "filters.test",
        (answer) =>
          answer.status === 302 &&
          /\/\/new\.test(:\d+)?\/here\/deep$/.test(answer.headers.location ?? ""),
      );
      await meets("/late", "filters.test", status(504), { "x-backend-delay-ms": "5000" });
      await meets(
        "/headers",
        "filters.test",
        ({ echo, headers }) =>
          echo?.headers["x-a"] === "1" && echo.headers["x-b"] === undefined &&
          headers["x-c"] === "2",
        { "x-b": "1" },
      );
    },
  },
  {
    name: "weights, of which one is zero, and one of a backend that is not permitted",
    run: async ({ world, meets, ask }) => {
      const refused = { name: "b", namespace: NAMESPACE, port: 80, weight: 1 };
      await world.config.write(
        "weights.yaml",
        documents(
          route("weights", ["weights.test"], [{
            backendRefs: [to("a", { weight: 1 }), to("b", { weight: 0 })],
          }]),
          route("refused", ["refused.test"], [{ backendRefs: [refused] }], OTHER),
        ),
      );
      await meets("/", "weights.test", by("a"));
      for (const proxy of world.testProxies) {
        for (let i = 0; i < 20; i++) assert.ok(by("a")(await ask(proxy, "/", "weights.test")));
      }
      await meets("/", "refused.test", status(500));
      const grant = api("ReferenceGrant", "grant", {
        from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: OTHER }],
        to: [{ group: "", kind: "Service" }],
      });
      await world.config.write("grant.yaml", grant);
      await meets("/", "refused.test", by("b"));
      await world.config.remove("grant.yaml");
      await meets("/", "refused.test", status(500));
    },
  },
  {
    name: "hostnames of a listener that another namespace may not use",
    run: async ({ world, meets, ask }) => {
      await world.config.write(
        "hosts.yaml",
        documents(
          route("thief", ["a.own.test", "*.own.test", "free.test"], [{
            backendRefs: [to("b", {
              namespace: NAMESPACE,
            })],
          }], OTHER),
          route("owner", ["a.own.test"], [{ backendRefs: [to("a")] }]),
          api("ReferenceGrant", "hosts", {
            from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: OTHER }],
            to: [{ group: "", kind: "Service" }],
          }),
        ),
      );
      await meets("/", "free.test", by("b"));
      await meets("/", "a.own.test", by("a"));
      for (const proxy of world.testProxies) {
        assert.equal((await ask(proxy, "/", "c.own.test")).status, 404);
      }
      await world.config.remove("hosts.yaml");
    },
  },
  {
    name: "a route that changes while requests flow",
    run: async ({ world, meets, ask }) => {
      const write = (rules: readonly Spec[], more = "") =>
        world.config.write("flow.yaml", route(`flow${more}`, ["flow.test"], rules));
      await write([{ backendRefs: [to("a")] }]);
      await meets("/", "flow.test", by("a"));
      let running = true;
      const wrong: string[] = [];
      let calls = 0;
      const loops = world.testProxies.map(async (proxy) => {
        while (running) {
          const answer = await ask(proxy, "/", "flow.test");
          calls++;
          if (answer.status !== 200) wrong.push(`${answer.status} ${answer.body}`);
        }
      });
      try {
        await write([{ backendRefs: [to("b")] }]);
        await meets("/", "flow.test", by("b"));
        await write([{ backendRefs: [to("a"), to("b")] }]);
        await write([{ matches: [{ path: { value: "/" } }], backendRefs: [to("a")] }], "-renamed");
        await meets("/", "flow.test", by("a"));
      } finally {
        running = false;
        await Promise.all(loops);
      }
      assert.deepEqual(wrong, []);
      assert.ok(calls > 0);
    },
  },
];

async function meets(
  { world, ports }: { readonly world: World; readonly ports: Ports },
  ...[path, host, right, headers = {}]: Parameters<Bench["meets"]>
): Promise<void> {
  for (const { transport, address } of world.testProxies) {
    let last: unknown = "nothing";
    const url = `http://${address}:${ports[transport].http}${path}`;
    await eventually(`${host}${path} over ${transport}`, async () => {
      try {
        const answer = await call(url, { host, headers });
        last = answer;
        return right(answer);
      } catch (cause) {
        last = `${cause}`;
        return false;
      }
    }).catch((cause) => {
      throw new Error(`${cause}; last: ${JSON.stringify(last)}`, { cause });
    });
  }
}

Deno.test("the Gateway API from files, by traffic", async (t) => {
  await using a = startBackend("a");
  await using b = startBackend("b");
  const dir = await Deno.makeTempDir({ prefix: "mesh-gateway-api-" });
  try {
    const pki = await makePki(dir);
    await using secure = await startTlsBackend("secure", pki.backend);
    await pki.credentials.write("one", pki.one);
    const free = freePorts(6);
    const portsOf = ([http = 0, tls = 0, https = 0]: readonly number[]) => ({ http, tls, https });
    const ports: Ports = { delta: portsOf(free), sotw: portsOf(free.slice(3)) };
    const files = {
      "services.yaml": documents(
        service("a", a.port),
        service("b", b.port),
        service("secure", secure.port, "TLS"),
      ),
      "gateways.yaml": gateways(ports),
      "tls.yaml": api("TLSRoute", "pass", {
        parentRefs: PARENTS,
        hostnames: ["*.pass.test"],
        rules: [{ backendRefs: [to("secure")] }],
      }),
    };
    const env = {
      MESH_CREDENTIAL_DIR: pki.credentials.dir,
      MESH_CREDENTIAL_ANONYMOUS: "true",
    };
    await using world = await startWorld({ kinds: ["router"], files, daemon: { env } });
    const bench: Bench = {
      world,
      meets: (...args) => meets({ world, ports }, ...args),
      ask: ({ address, transport }, path, host) =>
        call(`http://${address}:${ports[transport].http}${path}`, { host }),
    };
    for (const { name, run } of CASES) await t.step(name, () => run(bench));
    await t.step("TLS connections that are passed on by their server name", async () => {
      for (const { address, transport } of world.testProxies) {
        const { tls } = ports[transport];
        await answersHttps(address, tls, "secure", { sni: "a.pass.test", trusts: pki.authority });
      }
    });
    await t.step("HTTPS with a certificate of a Secret", async () => {
      const rules = [{ backendRefs: [to("a")] }];
      await world.config.write("https.yaml", route("https", ["one.tls.test"], rules));
      for (const { address, transport } of world.testProxies) {
        const { https } = ports[transport];
        await answersHttps(address, https, "a", { sni: "one.tls.test", trusts: pki.authority });
      }
    });
    await assertNothingRejected(world);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
