/**
 * The discovery server with a real Envoy, in both xDS variants.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Backend, eventually, freePort, startBackend } from "../../scripts/harness/mod.ts";
import { type World, world } from "../support/discovery.ts";
import { type EnvoyProcess, startEnvoy } from "../support/envoy_process.ts";
import { type Content, type Store, store } from "../support/resource_store.ts";
import { edsCluster, endpointsAt, rdsListener, routesTo } from "../support/xds_resources.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";

const { cluster: CDS, endpoint: EDS, listener: LDS, route: RDS } = TYPE_URLS;

const TYPES = [CDS, EDS, LDS, RDS];
/** The quiet time that real proxies get before something is taken from them. */
const LIMITS = { settleMs: 1000 };

interface Scene {
  readonly store: Store;
  world: World;
  readonly envoy: EnvoyProcess;
  /** Port of the listener. */
  readonly port: number;
  readonly one: Backend;
  readonly two: Backend;
  /** Changes resources by type and name, in one publication. */
  change(edits: Readonly<Record<string, Record<string, Content | undefined>>>): void;
  /** The backend that answers through Envoy, or the status when none does. */
  reached(): Promise<string | number>;
}

async function inScene(
  variant: "sotw" | "delta",
  run: (scene: Scene) => Promise<void>,
): Promise<void> {
  await using one = startBackend("one");
  await using two = startBackend("two");
  const shared = store(TYPES);
  const port = freePort();
  const change: Scene["change"] = (edits) => {
    for (const [type, edit] of Object.entries(edits)) shared.set(type, edit);
    shared.publish();
  };
  change({
    [CDS]: { a: edsCluster("a") },
    [EDS]: { a: endpointsAt("a", one.port) },
    [LDS]: { in: rdsListener("in", port, "r") },
    [RDS]: { r: routesTo("r", "a") },
  });
  const xdsPort = freePort();
  const scene = { world: await world(TYPES, LIMITS, { store: shared, port: xdsPort }) };
  try {
    await using envoy = await startEnvoy({ variant, xdsPort });
    const reached = async () => {
      try {
        const response = await fetch(`http://127.0.0.1:${port}/`);
        await response.body?.cancel();
        return response.headers.get("x-backend") ?? response.status;
      } catch {
        return 0;
      }
    };
    await run(Object.assign(scene, { store: shared, envoy, port, one, two, change, reached }));
  } finally {
    await scene.world[Symbol.asyncDispose]();
  }
}

/** Waits until Envoy has taken everything: nothing warms, nothing is unanswered, nothing was rejected. */
async function settled({ world, envoy }: Scene): Promise<void> {
  await eventually("everything is acknowledged", () => {
    const [session] = world.xds.sessions();
    return session !== undefined && session.types.length === 4 &&
      session.types.every((type) => type.state === "SYNCED");
  });
  await eventually(
    "no cluster or listener warms",
    async () =>
      await envoy.stat("cluster_manager.warming_clusters") === 0 &&
      await envoy.stat("listener_manager.total_listeners_warming") === 0,
  );
  assert.equal(await envoy.sum("update_rejected"), 0, envoy.log());
  assert.equal(await envoy.sum("init_fetch_timeout"), 0, envoy.log());
}

async function becomes(scene: Scene, backend: string): Promise<void> {
  await eventually(`${backend} answers`, async () => await scene.reached() === backend);
  await settled(scene);
}

for (const variant of ["delta", "sotw"] as const) {
  Deno.test(`${variant}: Envoy starts, routes, and follows every kind of change`, () =>
    inScene(variant, async (scene) => {
      const { envoy, change, one, two, port } = scene;
      await becomes(scene, "one");

      change({ [EDS]: { a: endpointsAt("a", two.port) } });
      await becomes(scene, "two");

      change({ [CDS]: { a: edsCluster("a", 2000) } });
      await eventually(
        "the cluster changed",
        async () => /"connect_timeout": "2s"/.test(await envoy.admin("/config_dump")),
      );
      await becomes(scene, "two");

      change({ [LDS]: { in: rdsListener("in", port, "r", "renamed") } });
      await eventually(
        "the listener changed",
        async () => /"stat_prefix": "renamed"/.test(await envoy.admin("/config_dump")),
      );
      await becomes(scene, "two");

      change({
        [CDS]: { b: edsCluster("b") },
        [EDS]: { b: endpointsAt("b", one.port) },
        [RDS]: { r: routesTo("r", "b") },
      });
      await becomes(scene, "one");

      change({ [LDS]: { in: rdsListener("in", port, "s") }, [RDS]: { s: routesTo("s", "a") } });
      await becomes(scene, "two");
      assert.equal(await envoy.stat("cluster_manager.active_clusters"), 3);
    }));

  Deno.test(`${variant}: replacing what carries traffic loses no request`, () =>
    inScene(variant, async (scene) => {
      const { change, one, two, port } = scene;
      await becomes(scene, "one");
      const lost: (string | number)[] = [];
      let requests = 0;
      let on = true;
      const traffic = (async () => {
        while (on) {
          const answer = await scene.reached();
          requests++;
          if (answer !== "one" && answer !== "two") lost.push(answer);
        }
      })();
      let old = "a";
      for (let round = 0; round < 4; round++) {
        const next = `c${round}`;
        const target = round % 2 === 0 ? two : one;
        change({
          [CDS]: { [old]: undefined, [next]: edsCluster(next) },
          [EDS]: { [old]: undefined, [next]: endpointsAt(next, target.port) },
          [LDS]: { in: rdsListener("in", port, `r${round}`) },
          [RDS]: { [`r${round}`]: routesTo(`r${round}`, next) },
        });
        await becomes(scene, target.name);
        await eventually(
          "the old cluster is gone",
          async () => await scene.envoy.stat("cluster_manager.active_clusters") === 2,
        );
        old = next;
      }
      on = false;
      await traffic;
      assert.deepEqual(lost, [], `of ${requests}`);
    }));

  Deno.test(`${variant}: clusters whose endpoints do not exist yet become active when they do`, () =>
    inScene(variant, async (scene) => {
      const { change, two } = scene;
      await becomes(scene, "one");
      change({ [CDS]: { empty: edsCluster("empty"), b: edsCluster("b") } });
      // Delta can say that there are none; in SotW a cluster warms until there are.
      const stat = variant === "delta" ? "active_clusters" : "warming_clusters";
      await eventually(
        `both clusters are among ${stat}`,
        async () =>
          await scene.envoy.stat(`cluster_manager.${stat}`) === (variant === "delta" ? 4 : 2),
      );
      change({
        [EDS]: { empty: endpointsAt("empty"), b: endpointsAt("b", two.port) },
        [RDS]: { r: routesTo("r", "b") },
      });
      await becomes(scene, "two");
    }));

  Deno.test(`${variant}: a server that comes back, with and without changes meanwhile`, () =>
    inScene(variant, async (scene) => {
      const { envoy, change, two } = scene;
      await becomes(scene, "one");
      const port = scene.world.rpc.port;
      const again = async () => {
        await scene.world[Symbol.asyncDispose]();
        return async () => {
          scene.world = await world(TYPES, LIMITS, { store: scene.store, port });
          await settled(scene);
        };
      };
      const updates = await envoy.sum("cds.update_success");
      await (await again())();
      if (variant === "delta") {
        const [session] = scene.world.xds.sessions();
        assert.deepEqual(session!.types.map((type) => type.sent), Array(4).fill(undefined));
        assert.equal(await envoy.sum("cds.update_success"), updates);
      }
      const back = await again();
      change({ [CDS]: { a: edsCluster("a", 3000) }, [EDS]: { a: endpointsAt("a", two.port) } });
      await back();
      await becomes(scene, "two");
      const rest = await again();
      change({ [CDS]: { a: edsCluster("a", 4000) } });
      await rest();
      await eventually(
        "the cluster that changed alone is warm",
        async () => /"connect_timeout": "4s"/.test(await envoy.admin("/config_dump")),
      );
      await becomes(scene, "two");
    }));

  Deno.test(`${variant}: a rejection by Envoy is recorded until the resource is repaired`, () =>
    inScene(variant, async (scene) => {
      const { change, envoy, world, two } = scene;
      await becomes(scene, "one");
      change({ [CDS]: { bad: edsCluster("", 1), b: edsCluster("b") } });
      const cds = () => world.xds.sessions()[0]?.types.find((type) => type.short === "cds");
      await eventually("the rejection arrived", () => cds()?.state === "ERROR");
      assert.ok(cds()!.nack!.message.length > 0);
      assert.equal(await scene.reached(), "one");
      // Over delta, the search for the rejected resource sends it once more.
      const rejected = variant === "delta" ? 2 : 1;
      const count = () => envoy.sum("cds.update_rejected");
      await eventually("all rejections", async () => await count() === rejected);
      change({
        [CDS]: { bad: undefined },
        [EDS]: { b: endpointsAt("b", two.port) },
        [RDS]: { r: routesTo("r", "a") },
      });
      await eventually("it is over", () => cds()?.state === "SYNCED");
      assert.equal(await count(), rejected, "nothing was sent twice");
    }));
}
