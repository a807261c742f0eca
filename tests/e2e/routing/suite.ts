/**
 * The suite of routing: its cases, configuration and proxies.
 *
 * @module
 */
import { type Backend, freePort, startBackend } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry } from "../../support/manifest.ts";
import { sidecars, startWorld, type TestProxy, type World } from "../../support/world.ts";
import type { RoutingCase, Target } from "./case.ts";
import { CHANGE_CASES } from "./change_cases.ts";
import { MATCH_CASES } from "./match_cases.ts";
import { SCOPE_CASES } from "./scope_cases.ts";
import { SERVICE, SHADOW } from "./service.ts";
import { TRAFFIC_CASES } from "./traffic_cases.ts";

/** All cases. */
export const ROUTING_CASES: readonly RoutingCase[] = [
  ...MATCH_CASES,
  ...CHANGE_CASES,
  ...TRAFFIC_CASES,
  ...SCOPE_CASES,
];

/** The suite with its proxies. */
export interface RoutingSuite extends AsyncDisposable {
  readonly world: World;
  /** The environment of a case at one proxy. */
  readonly targetOf: (one: RoutingCase, testProxy: TestProxy) => Target;
}

/**
 * Starts the suite with the configuration of all cases.
 *
 * @param envoy path of another Envoy than the pinned one
 */
export async function startRoutingSuite(envoy?: string): Promise<RoutingSuite> {
  await using stack = new AsyncDisposableStack();
  const v1 = stack.use(startBackend("v1"));
  const v2 = stack.use(startBackend("v2"));
  const shadow = stack.use(startBackend("shadow"));
  const backends = { v1, v2, shadow };
  const port = freePort();
  const world = stack.use(await startWorld({ envoy, files: files(port, backends) }));
  const parts = stack.move();
  return {
    world,
    targetOf: (one, { transport, address }) => ({
      transport,
      url: `http://${address}:${port}`,
      host: hostOf(one),
      backends,
    }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

const slug = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const hostOf = ({ name, host }: RoutingCase): string => host ?? `${slug(name)}.test`;

/** All cases' configuration, a file for each kind. */
function files(
  port: number,
  { v1, v2, shadow }: Record<"v1" | "v2" | "shadow", Backend>,
): Record<string, string> {
  const http = { number: port, protocol: "HTTP" };
  const versions = [v1, v2].map((b) => endpoint(b.port, { version: b.name }));
  const routed = ROUTING_CASES.filter((c) => c.http !== undefined);
  return {
    "services.yaml": documents(
      serviceEntry("backends", [SERVICE, ...ROUTING_CASES.map(hostOf)], http, versions),
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
