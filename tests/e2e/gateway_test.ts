/**
 * Gateways, by requests to a real Envoy, over both xDS variants.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Answer,
  askTcp,
  call,
  eventually,
  freePorts,
  startBackend,
  startTcpBackend,
} from "../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry, type Spec, to } from "../support/manifest.ts";
import {
  addressOf,
  assertNothingRejected,
  eachTransport,
  startWorld,
  type TestProxy,
  type World,
} from "../support/world.ts";

const OTHER = "other";

/** A server of a Gateway, but for the address it binds to. */
interface Server {
  readonly port: number;
  readonly protocol?: string;
  readonly hosts: readonly string[];
}

/** A Gateway for each proxy: both run on this machine, so each binds to an address of its own. */
function gateway(name: string, ...servers: readonly Server[]): string {
  return documents(...eachTransport((transport) =>
    manifest("Gateway", `${name}-${transport}`, {
      selector: { transport, kind: "router" },
      servers: servers.map(({ port, protocol = "HTTP", hosts }, i) => ({
        port: { number: port, name: `port-${i}`, protocol },
        bind: addressOf("router", transport),
        hosts,
      })),
    })
  ));
}

/** Both Gateways of a name, as a VirtualService says them. */
const bothOf = (name: string, namespace?: string): string[] =>
  eachTransport((transport) =>
    `${namespace === undefined ? "" : `${namespace}/`}${name}-${transport}`
  );

function routes(
  name: string,
  spec: Spec & { readonly hosts: readonly string[]; readonly gateways: readonly string[] },
  namespace?: string,
): string {
  return manifest("VirtualService", name, spec, namespace);
}

/** Services `a.test` and `b.test`, and the TCP service `t.test`. */
const A = "a.test";
const B = "b.test";
const T = "t.test";
const http = (...rules: readonly Spec[]): Spec => ({ http: rules });

interface Case {
  readonly name: string;
  readonly run: (bench: Bench) => Promise<void>;
}

interface Bench {
  readonly world: World;
  /** Ports that no other case uses. */
  readonly ports: readonly [number, number];
  /** Calls every proxy at a port with a `Host` until the answer is right. */
  readonly meets: (
    port: number,
    host: string,
    what: string,
    right: (answer: Answer) => boolean,
  ) => Promise<void>;
  /** Calls every proxy until a backend answers; `404` and the like are statuses. */
  readonly answers: (port: number, host: string, by: string) => Promise<void>;
  readonly each: (act: (testProxy: TestProxy) => Promise<void>) => Promise<void>;
}

const CASES: readonly Case[] = [
  {
    name: "two hosts, and none other",
    run: async ({ world, ports: [port], answers, meets }) => {
      await world.config.write(
        "two.yaml",
        documents(
          gateway("two", { port, hosts: ["one.gate.test", "two.gate.test"] }),
          routes("one", { hosts: ["one.gate.test"], gateways: bothOf("two"), ...http(to(A)) }),
          routes("two", { hosts: ["two.gate.test"], gateways: bothOf("two"), ...http(to(B)) }),
          routes("three", { hosts: ["three.gate.test"], gateways: bothOf("two"), ...http(to(B)) }),
        ),
      );
      await answers(port, "one.gate.test", "a");
      await answers(port, "two.gate.test", "b");
      await answers(port, "unknown.test", "404");
      // A host that a VirtualService has and the Gateway has not.
      await answers(port, "three.gate.test", "404");
      await answers(port, `one.gate.test:${port}`, "a");
      const host = "one.gate.test";
      await meets(port, host, "the host kept", (found) => found.echo?.host === host);
    },
  },
  {
    name: "a wildcard of hosts, the most specific first",
    run: async ({ world, ports: [port], answers }) => {
      await world.config.write(
        "wildcard.yaml",
        documents(
          gateway("wildcard", { port, hosts: ["*.wild.test"] }),
          routes("wild-all", {
            hosts: ["*.wild.test"],
            gateways: bothOf("wildcard"),
            ...http(to(B)),
          }),
          routes("wild-one", {
            hosts: ["one.wild.test"],
            gateways: bothOf("wildcard"),
            ...http(to(A)),
          }),
        ),
      );
      await answers(port, "one.wild.test", "a");
      await answers(port, "two.wild.test", "b");
      await answers(port, "deep.two.wild.test", "b");
      await answers(port, "wild.test", "404");
    },
  },
  {
    name: "a port that a service of the gateway leads to another number",
    run: async ({ world, ports: [named, listened], answers }) => {
      const edge = eachTransport((transport) =>
        endpoint(listened, {}, { address: addressOf("router", transport) })
      );
      await world.config.write(
        "led.yaml",
        documents(
          serviceEntry("led", ["led.edge.test"], { number: named, protocol: "HTTP" }, edge),
          gateway("led", { port: named, hosts: ["led.test"] }),
          routes("led", {
            hosts: ["led.test"],
            gateways: bothOf("led"),
            http: [{ match: [{ port: named }], ...to(A) }],
          }),
        ),
      );
      await answers(listened, "led.test", "a");
      await answers(listened, `led.test:${named}`, "a");
      await world.config.remove("led.yaml");
    },
  },
  {
    name: "two Gateways at one port",
    run: async ({ world, ports: [port], answers }) => {
      await world.config.write(
        "shared.yaml",
        documents(
          gateway("left", { port, hosts: ["left.test"] }),
          gateway("right", { port, hosts: ["right.test", "both.test"] }),
          routes("left", { hosts: ["left.test"], gateways: bothOf("left"), ...http(to(A)) }),
          routes("right", { hosts: ["right.test"], gateways: bothOf("right"), ...http(to(B)) }),
          // Bound to the Gateway that has not this host.
          routes("both", { hosts: ["both.test"], gateways: bothOf("left"), ...http(to(B)) }),
        ),
      );
      await answers(port, "left.test", "a");
      await answers(port, "right.test", "b");
      await answers(port, "both.test", "404");
    },
  },
  {
    name: "hosts of one namespace alone",
    run: async ({ world, ports: [port], answers }) => {
      const own = ["mine.test"];
      const theirs = ["theirs.test"];
      await world.config.write(
        "namespaces.yaml",
        documents(
          gateway("spaces", { port, hosts: [`${OTHER}/*`, "./mine.test"] }),
          routes("own-mine", { hosts: own, gateways: bothOf("spaces"), ...http(to(A)) }),
          routes("own-theirs", { hosts: theirs, gateways: bothOf("spaces"), ...http(to(A)) }),
          routes("other-theirs", {
            hosts: theirs,
            gateways: bothOf("spaces", "test"),
            ...http(to(B)),
          }, OTHER),
        ),
      );
      await answers(port, "theirs.test", "b");
      await answers(port, "mine.test", "a");
      await world.config.write(
        "namespaces.yaml",
        documents(
          gateway("spaces", { port, hosts: [`${OTHER}/*`] }),
          routes("own-mine", { hosts: own, gateways: bothOf("spaces"), ...http(to(A)) }),
          routes("own-theirs", { hosts: theirs, gateways: bothOf("spaces"), ...http(to(A)) }),
        ),
      );
      await answers(port, "theirs.test", "404");
      await answers(port, "mine.test", "404");
    },
  },
  {
    name: "rules for the gateway alone",
    run: async ({ world, ports: [port], answers }) => {
      const gateways = bothOf("rules");
      await world.config.write(
        "rules.yaml",
        documents(
          gateway("rules", { port, hosts: ["rules.test"] }),
          routes("rules", {
            hosts: ["rules.test"],
            gateways: ["mesh", ...gateways],
            ...http({ match: [{ gateways: ["mesh"] }], ...to(A) }, {
              match: gateways.map((name) => ({ gateways: [name] })),
              ...to(B),
            }),
          }),
        ),
      );
      await answers(port, "rules.test", "b");
    },
  },
  {
    name: "a port that changes, and a Gateway that goes",
    run: async ({ world, ports: [first, second], answers, each }) => {
      const vs = routes("moving", {
        hosts: ["moving.test"],
        gateways: bothOf("moving"),
        ...http(to(A)),
      });
      const at = (port: number): string =>
        documents(gateway("moving", { port, hosts: ["moving.test"] }), vs);
      const closed = (port: number) =>
        each(async ({ address, agent }) => {
          await eventually(`port ${port} to be closed`, async () => {
            const failed = await call(`http://${address}:${port}/`).then(() => false, () => true);
            const held = await agent.held("listener");
            return failed && !held.some((name) => name.endsWith(`_${port}`));
          });
        });
      await world.config.write("moving.yaml", at(first));
      await answers(first, "moving.test", "a");
      await world.config.write("moving.yaml", at(second));
      await answers(second, "moving.test", "a");
      await closed(first);
      await world.config.remove("moving.yaml");
      await closed(second);
    },
  },
  {
    name: "a TCP server",
    run: async ({ world, ports: [port], each }) => {
      await world.config.write(
        "tcp.yaml",
        documents(
          gateway("tcp", { port, protocol: "TCP", hosts: ["*"] }),
          routes("tcp", {
            hosts: ["*"],
            gateways: bothOf("tcp"),
            tcp: [{ match: [{ port }], route: [{ destination: { host: T } }] }],
          }),
        ),
      );
      await each(async ({ address }) => {
        await eventually("an answer", async () => await askTcp(address, port) === "t");
      });
    },
  },
  {
    name: "hosts and patterns that take each other's place, without a wrong answer",
    run: async ({ world, ports: [port], answers, each }) => {
      const host = "one.gate.test";
      const served = (name: string, by: string, ...hosts: readonly string[]) =>
        routes(name, { hosts, gateways: bothOf("beside"), ...http(to(by)) });
      const every = served("every", A, "*");
      const pattern = served("pattern", A, "*.gate.test");
      const one = served("one", A, host);
      const written = async (step: number, ...objects: readonly string[]) => {
        const seen = `step-${step}.test`;
        const all = [
          gateway("beside", { port, hosts: ["*"] }),
          served("step", B, seen),
          ...objects,
        ];
        await world.config.write("beside.yaml", documents(...all));
        await answers(port, seen, "b");
        await answers(port, host, "a");
      };
      await written(0, every);
      let over = false;
      const statuses = new Set<number>();
      const traffic = each(async ({ address }) => {
        while (!over) statuses.add((await call(`http://${address}:${port}/`, { host })).status);
      });
      const states = [[every, one], [one], [one, pattern], [pattern], [every], [one], [every]];
      for (const [i, state] of states.entries()) await written(i + 1, ...state);
      over = true;
      await traffic;
      assert.deepEqual([...statuses], [200]);
      await world.config.remove("beside.yaml");
    },
  },
];

function benchOf(world: World): Bench {
  const each: Bench["each"] = async (act) => {
    for (const testProxy of world.testProxies) {
      try {
        await act(testProxy);
      } catch (cause) {
        throw new Error(`over ${testProxy.transport}: ${cause}`, { cause });
      }
    }
  };
  const meets: Bench["meets"] = (port, host, what, right) =>
    each(async ({ address }) => {
      let last: Answer | undefined;
      await eventually(`${host} at ${port}: ${what}`, async () => {
        last = await call(`http://${address}:${port}/`, { host });
        return right(last);
      }).catch((cause) => {
        throw new Error(`${cause}; last seen: ${last?.status} ${last?.body}`, { cause });
      });
    });
  return {
    world,
    ports: freePorts(2) as [number, number],
    each,
    meets,
    answers: (port, host, by) =>
      meets(port, host, by, ({ status, echo }) => (echo?.backend ?? `${status}`) === by),
  };
}

Deno.test("gateways accept requests for the hosts of their servers", async (t) => {
  await using a = startBackend("a");
  await using b = startBackend("b");
  await using tcp = await startTcpBackend("t");
  const services = documents(
    serviceEntry("a", [A], { number: 80, protocol: "HTTP" }, [endpoint(a.port)]),
    serviceEntry("b", [B], { number: 80, protocol: "HTTP" }, [endpoint(b.port)]),
    serviceEntry("t", [T], { number: 90, protocol: "TCP" }, [endpoint(tcp.port)]),
  );
  const files = { "services.yaml": services };
  await using world = await startWorld({ kinds: ["router"], files });
  for (const one of CASES) await t.step(one.name, () => one.run(benchOf(world)));
  await t.step("the proxies are ready", async () => {
    for (const { agent } of world.testProxies) {
      const answer = await fetch(`${agent.status}/healthz/ready`);
      await answer.body?.cancel();
      assert.equal(answer.status, 200);
    }
  });
  await t.step("no update was refused", () => assertNothingRejected(world));
});
