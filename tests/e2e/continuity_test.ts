/**
 * Changes lose no request: new resources arrive before references to them, old ones stay until
 * nothing refers to them.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Backend,
  call,
  type Daemon,
  eventually,
  freePort,
  portsOf,
  startBackend,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry, to } from "../support/manifest.ts";
import {
  assertNothingRejected,
  sidecars,
  startWorld,
  type TestProxy,
  type World,
} from "../support/world.ts";

const HOST = "shop.test";
const ALIAS = "alias.test";
const FILE = "shop.yaml";

/** Configuration of a stage: labels of the backends, and the destination of requests. */
interface Stage {
  readonly name: string;
  readonly text: (parts: Parts) => string;
  /** The backend that responds when the stage is applied. */
  readonly by: string;
}

interface Parts {
  readonly port: number;
  readonly backends: readonly Backend[];
}

/** The service with one subset for each backend, named as said, and requests to one of them. */
function subsets(names: readonly string[], chosen: string) {
  return ({ port, backends }: Parts): string =>
    documents(
      serviceEntry(
        "shop",
        [HOST],
        { number: port, protocol: "HTTP" },
        backends.map((b, i) => endpoint(b.port, { version: names[i] ?? "" })),
      ),
      manifest("DestinationRule", "shop", {
        host: HOST,
        subsets: names.map((name) => ({ name, labels: { version: name } })),
      }),
      manifest("VirtualService", "shop", { hosts: [HOST], http: [to(HOST, chosen)] }),
    );
}

/** A stage in which the host's requests go to another service, which is new. */
function elsewhere({ port, backends: [one, other] }: Parts): string {
  const http = { number: port, protocol: "HTTP" };
  return documents(
    serviceEntry("shop", [HOST], http, [endpoint(one!.port)]),
    serviceEntry("alias", [ALIAS], http, [endpoint(other!.port)]),
    manifest("VirtualService", "shop", { hosts: [HOST], http: [to(ALIAS)] }),
  );
}

const STAGES: readonly Stage[] = [
  { name: "another subset", text: subsets(["v1", "v2"], "v2"), by: "b" },
  { name: "subsets renamed", text: subsets(["old", "new"], "old"), by: "a" },
  { name: "subsets renamed and swapped", text: subsets(["left", "right"], "right"), by: "b" },
  { name: "endpoints under other labels", text: subsets(["right", "left"], "right"), by: "a" },
  { name: "another service", text: elsewhere, by: "b" },
  { name: "and back", text: subsets(["v1", "v2"], "v1"), by: "a" },
];

/** Calls a proxy repeatedly until it is stopped, and returns the failed calls. */
function pester(
  { address }: TestProxy,
  port: number,
): { stop(): Promise<string[]>; calls(): number } {
  const bad: string[] = [];
  let calls = 0;
  let running = true;
  const loop = async (): Promise<void> => {
    while (running) {
      const { status, headers, body } = await call(`http://${address}:${port}/`, { host: HOST });
      calls++;
      if (status !== 200) bad.push(`${status} ${body} ${JSON.stringify(headers)}`);
    }
  };
  const loops = [loop(), loop()];
  return {
    calls: () => calls,
    stop: async () => {
      running = false;
      await Promise.all(loops);
      return bad;
    },
  };
}

async function arrived({ testProxies }: World, port: number, by: string): Promise<void> {
  for (const { address, transport } of testProxies) {
    await eventually(`answers by ${by} over ${transport}`, async () => {
      for (let i = 0; i < 10; i++) {
        const { echo } = await call(`http://${address}:${port}/`, { host: HOST });
        if (echo?.backend !== by) return false;
      }
      return true;
    });
  }
}

Deno.test("no request is lost while configuration changes", async (t) => {
  await using a = startBackend("a");
  await using b = startBackend("b");
  const port = freePort();
  const parts: Parts = { port, backends: [a, b] };
  const files = {
    "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
    [FILE]: subsets(["v1", "v2"], "v1")(parts),
  };
  await using world = await startWorld({ files });
  await arrived(world, port, "a");
  const losesNothing = async (
    { text, by }: Pick<Stage, "text" | "by">,
    testProxies: readonly TestProxy[],
    daemon?: () => Promise<Daemon>,
  ) => {
    const clients = testProxies.map((testProxy) => pester(testProxy, port));
    try {
      await world.config.write(FILE, text(parts));
      await using _ = await daemon?.();
      await arrived(world, port, by);
    } finally {
      const bad = await Promise.all(clients.map((c) => c.stop()));
      const lost = bad.map((list) => list.length);
      assert.deepEqual(
        lost,
        testProxies.map(() => 0),
        `${bad.flat()[0]}; lost of ${clients.map((c) => c.calls())}`,
      );
    }
    assert.ok(clients.every((c) => c.calls() > 10));
  };
  for (const stage of STAGES) {
    await t.step(stage.name, () => losesNothing(stage, world.testProxies));
  }
  await t.step("the daemon comes back to other configuration", async () => {
    // The order of removals is unknown for a client that does not report its resources.
    const knowing = world.testProxies.filter(({ transport }) => transport === "delta");
    world.daemon.program.kill("SIGKILL");
    await world.daemon.program.status;
    const again = () => startDaemon({ configDir: world.config.path, ports: portsOf(world.daemon) });
    await losesNothing({ text: subsets(["old", "new"], "new"), by: "b" }, knowing, again);
    await losesNothing({ text: subsets(["x", "y"], "x"), by: "a" }, knowing, again);
    await losesNothing({ text: elsewhere, by: "b" }, knowing, again);
  });
  await t.step("no update was refused", () => assertNothingRejected(world));
});
