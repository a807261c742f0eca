/**
 * Real Envoys accept any valid configuration: sidecars that bind, sidecars with captured traffic,
 * and gateways, over both xDS variants.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually, freePorts, type HeldKind } from "../../scripts/harness/mod.ts";
import { endpoint, serviceEntry } from "../support/manifest.ts";
import { metricOf, problemsOf } from "../support/views.ts";
import { startWorld, updatesOf, type World } from "../support/world.ts";
import { MARKER, randomFiles } from "./acceptance/generate.ts";

/** Each sample is a directory of some thirty random objects. */
const SAMPLES = 12;
const SEED = 20_240_000;

/** A service whose endpoint's port says which sample is served; in reach of everything. */
function marker(sample: number): string {
  const port = { number: 7, protocol: "TCP" };
  return serviceEntry("marker", [MARKER], port, {
    endpoints: [endpoint(1000 + sample)],
    addresses: ["10.9.9.9"],
  });
}

/** Makes the directory hold these files and no others. */
async function become(world: World, files: Readonly<Record<string, string>>): Promise<void> {
  const there = await Array.fromAsync(Deno.readDir(world.config.path), (entry) => entry.name);
  for (const name of there) {
    if (files[name] === undefined && !name.startsWith(".")) await world.config.remove(name);
  }
  for (const [name, text] of Object.entries(files)) await world.config.write(name, text);
}

/** Waits until each proxy has taken up the sample, or has refused something. */
async function served({ testProxies, daemon }: World, sample: number): Promise<void> {
  const cluster = `outbound|7||${MARKER}`;
  for (const { agent } of testProxies) {
    await eventually(`sample ${sample} at ${agent.name}`, async () => {
      if (await metricOf(daemon, "pilot_total_xds_rejects") ?? 0) return true;
      const dump = JSON.stringify(await agent.configDump(`.*${MARKER}`));
      return dump.includes(cluster) && dump.includes(`"port_value":${1000 + sample}`);
    });
  }
  await eventually("all to be in sync", async () => {
    const rows = await daemon.debug<Record<string, string>[]>("syncz");
    const states = rows.flatMap((row) =>
      Object.entries(row).filter(([key]) => key.endsWith("_status")).map(([, value]) => value)
    );
    return states.length > 0 && states.every((state) => state === "SYNCED" || state === "ERROR");
  });
}

type Dump = { readonly configs: readonly Readonly<Record<string, unknown>>[] };

/** Names of what the daemon says a proxy is served, by kind. */
async function servedNames({ daemon }: World, proxy: string): Promise<Record<HeldKind, string[]>> {
  const { configs } = await daemon.debug<Dump>(`config_dump?proxyID=${proxy}`);
  const items = (list: string): Record<string, unknown>[] =>
    configs.flatMap((config) => (config[list] ?? []) as Record<string, unknown>[]);
  const nameOf = (resource: unknown): string => (resource as { name: string }).name;
  return {
    cluster: items("dynamicActiveClusters").map((item) => nameOf(item.cluster)).sort(),
    listener: items("dynamicListeners")
      .map((item) => nameOf((item.activeState as { listener: unknown }).listener)).sort(),
    route: items("dynamicRouteConfigs").map((item) => nameOf(item.routeConfig)).sort(),
  };
}

Deno.test("real Envoys take any configuration that is served", async (t) => {
  const [outbound, inbound, ...gatewayPorts] = freePorts(5);
  const meshConfig = await Deno.makeTempFile({ prefix: "mesh-config-", suffix: ".yaml" });
  await Deno.writeTextFile(
    meshConfig,
    `proxyListenPort: ${outbound}\nproxyInboundListenPort: ${inbound}\n`,
  );
  const files = { "marker.yaml": marker(0) };
  await using world = await startWorld({
    kinds: ["captured", "router"],
    files,
    daemon: { args: [`--meshConfig=${meshConfig}`] },
  });
  let documents = 0;
  let rejected = 0;
  for (let sample = 1; sample <= SAMPLES; sample++) {
    const random = randomFiles(SEED + sample, gatewayPorts);
    await t.step(`sample ${sample}: ${Object.keys(random).length} objects`, async () => {
      await become(world, { ...random, "marker.yaml": marker(sample) });
      await served(world, sample);
      for (const testProxy of world.testProxies) {
        const refused = await updatesOf(testProxy, "rejected");
        const said = testProxy.agent.program.output().split("\n").filter((l) =>
          l.includes("rejected")
        );
        assert.ok(Object.values(refused).every((count) => count === 0), said.join("\n"));
        // All of it can be shown, too.
        assert.ok((await servedNames(world, `${testProxy.agent.name}.test`)).cluster.length > 0);
      }
      const faults = await world.daemon.debug<unknown[]>("faultz");
      assert.deepEqual(faults, []);
    });
    documents += Object.keys(random).length;
    rejected += (await problemsOf(world.daemon)).problems.length;
  }
  await t.step("most of what was written served", () => {
    assert.ok(rejected < documents / 5, `${rejected} of ${documents} were rejected`);
  });
  await t.step("the proxies finally hold exactly what they are served", async () => {
    const all = Object.entries(randomFiles(SEED, gatewayPorts));
    const open = all.filter(([name]) => !name.startsWith("sidecar"));
    await become(world, { ...Object.fromEntries(open), "marker.yaml": marker(0) });
    await served(world, 0);
    for (const { agent } of world.testProxies) {
      for (const kind of ["cluster", "listener", "route"] as const) {
        let last: unknown;
        await eventually(`${agent.name} to hold the ${kind}s it is served`, async () => {
          const served = (await servedNames(world, `${agent.name}.test`))[kind];
          const held = await agent.held(kind);
          last = { served, held };
          // Listeners that are gone drain for a while, and keep their route tables so long.
          return served.length > 0 && served.every((name) => held.includes(name)) &&
            (kind === "route" || held.length === served.length);
        }).catch((cause) => {
          throw new Error(`${cause}: ${JSON.stringify(last)}`, { cause });
        });
      }
    }
  });
  await t.step("captured proxies have their two ways in", async () => {
    for (const { kind, agent } of world.testProxies) {
      const held = await agent.held("listener");
      if (kind !== "captured") continue;
      assert.ok(held.includes("virtualOutbound") && held.includes("virtualInbound"), `${held}`);
    }
  });
  await Deno.remove(meshConfig);
});
