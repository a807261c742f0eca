/**
 * Routing features, by traffic through a real Envoy, over both xDS variants.
 *
 * @module
 */
import { type Backend, freePort, startBackend } from "../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry } from "../support/manifest.ts";
import { assertNothingRejected, sidecars, startWorld } from "../support/world.ts";
import { type RoutingCase, runCase } from "./routing/case.ts";
import { CHANGE_CASES } from "./routing/change_cases.ts";
import { MATCH_CASES } from "./routing/match_cases.ts";
import { SCOPE_CASES } from "./routing/scope_cases.ts";
import { SERVICE, SHADOW } from "./routing/service.ts";
import { TRAFFIC_CASES } from "./routing/traffic_cases.ts";

const CASES: readonly RoutingCase[] = [
  ...MATCH_CASES,
  ...CHANGE_CASES,
  ...TRAFFIC_CASES,
  ...SCOPE_CASES,
];

const slug = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const hostOf = ({ name, host }: RoutingCase): string => host ?? `${slug(name)}.test`;

/** All cases' configuration, a file for each kind. */
function files(
  port: number,
  { v1, v2, shadow }: Record<"v1" | "v2" | "shadow", Backend>,
): Record<string, string> {
  const http = { number: port, protocol: "HTTP" };
  const versions = [v1, v2].map((b) => endpoint(b.port, { version: b.name }));
  const routed = CASES.filter((c) => c.http !== undefined);
  return {
    "services.yaml": documents(
      serviceEntry("backends", [SERVICE, ...CASES.map(hostOf)], http, versions),
      serviceEntry("shadow", [SHADOW], http, [endpoint(shadow.port)]),
    ),
    "subsets.yaml": manifest("DestinationRule", "backends", {
      host: SERVICE,
      subsets: [v1, v2].map(({ name }) => ({ name, labels: { version: name } })),
    }),
    "sidecars.yaml": sidecars([http]),
    "routes.yaml": documents(
      ...routed.map((c) =>
        manifest("VirtualService", slug(c.name), { hosts: [hostOf(c)], http: c.http })
      ),
      ...routed.flatMap((c) =>
        Object.entries(c.delegates ?? {}).map(([name, http]) =>
          manifest("VirtualService", name, { http })
        )
      ),
    ),
  };
}

Deno.test("routing rules steer traffic", async (t) => {
  await using v1 = startBackend("v1");
  await using v2 = startBackend("v2");
  await using shadow = startBackend("shadow");
  const backends = { v1, v2, shadow };
  const port = freePort();
  await using world = await startWorld({ files: files(port, backends) });
  for (const { transport, address } of world.testProxies) {
    const url = `http://${address}:${port}`;
    for (const one of CASES) {
      const target = { transport, url, host: hostOf(one), backends };
      await t.step(`${one.name} (${transport})`, () => runCase(one, target));
    }
  }
  await t.step("no update was refused", () => assertNothingRejected(world));
});
