/**
 * Order of DataproxyFilters, by the filters that requests pass.
 *
 * @module
 */
import { call, eventually, freePort, startBackend } from "../../scripts/harness/mod.ts";
import { toYaml } from "../../lib/kit/text/mod.ts";
import { documents, endpoint, NAMESPACE, serviceEntry, type Spec } from "../support/manifest.ts";
import { assertNothingRejected, sidecars, startWorld } from "../support/world.ts";

const HOST = "shop.test";
const TYPE = "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua";
const MANAGER = "envoy.filters.network.http_connection_manager";

/** Puts a filter before the router, which notes its name on requests. */
function noting(port: number, name: string, subFilter: Spec, operation: string): Spec {
  const code = `function envoy_on_request(h) h:headers():add("x-order", "${name}") end`;
  return {
    applyTo: "HTTP_FILTER",
    match: {
      context: "SIDECAR_OUTBOUND",
      listener: { portNumber: port, filterChain: { filter: { name: MANAGER, subFilter } } },
    },
    patch: {
      operation,
      value: {
        name,
        typed_config: { "@type": TYPE, default_source_code: { inline_string: code } },
      },
    },
  };
}

interface Row {
  readonly what: string;
  /** Names of filters with their priorities, and where each is: `mesh` or the proxies' namespace. */
  readonly filters: readonly { name: string; priority?: number; root?: boolean; after?: string }[];
  readonly order: string;
}

/** A filter that is inserted before the router is closer to it the later it is applied. */
const ROWS: readonly Row[] = [
  {
    what: "by name where nothing else tells them apart",
    filters: [{ name: "b" }, { name: "a" }, { name: "c" }],
    order: "a, b, c",
  },
  {
    what: "by priority, the lowest first",
    filters: [{ name: "a", priority: 10 }, { name: "b", priority: -5 }, { name: "c" }],
    order: "b, c, a",
  },
  {
    what: "those of the root namespace before those of the workload's",
    filters: [{ name: "a" }, { name: "z", root: true }, { name: "y", root: true }],
    order: "y, z, a",
  },
  {
    what: "those of the root namespace before them whatever their priority",
    filters: [{ name: "a", priority: -9 }, { name: "z", root: true, priority: 9 }],
    order: "z, a",
  },
  {
    what: "one that stands by another is applied once the other is there",
    filters: [{ name: "a", priority: 2, after: "b" }, { name: "b", priority: 1 }, {
      name: "c",
      priority: 3,
    }],
    order: "b, a, c",
  },
];

Deno.test("patches are applied in their order", async (t) => {
  await using backend = startBackend("shop");
  const port = freePort();
  await using world = await startWorld({
    files: {
      "sidecars.yaml": sidecars([{ number: port, protocol: "HTTP" }]),
      "shop.yaml": serviceEntry("shop", [HOST], { number: port, protocol: "HTTP" }, [
        endpoint(backend.port),
      ]),
    },
  });
  for (const { what, filters, order } of ROWS) {
    await t.step(what, async () => {
      const texts = filters.map(({ name, priority, root, after }) =>
        toYaml({
          apiVersion: "networking.mesh.io/v1alpha3",
          kind: "DataproxyFilter",
          metadata: { name, namespace: root ? "mesh-system" : NAMESPACE },
          spec: {
            ...(priority === undefined ? {} : { priority }),
            configPatches: [
              after === undefined
                ? noting(port, name, { name: "envoy.filters.http.router" }, "INSERT_BEFORE")
                : noting(port, name, { name: after }, "INSERT_AFTER"),
            ],
          },
        })
      );
      await world.config.write("patches.yaml", documents(...texts));
      for (const { address, transport } of world.testProxies) {
        let last: string | undefined;
        await eventually(`${order} over ${transport}`, async () => {
          const { echo } = await call(`http://${address}:${port}/`, { host: HOST });
          last = echo?.headers["x-order"]?.split(/,\s*/).join(", ");
          return last === order;
        }, 8_000).catch((cause) => {
          throw new Error(`expected ${order}, got ${last}`, { cause });
        });
      }
    });
  }
  await assertNothingRejected(world);
});
