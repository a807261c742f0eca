/**
 * A gateway in front of the security fixture.
 *
 * @module
 */
import { type Agent, type AgentOptions, startAgent } from "../../../scripts/harness/mod.ts";
import { envoyPath } from "../../../scripts/tools.ts";
import { type SecurityWorld, SERVER_NAMESPACE } from "./world.ts";

/**
 * Starts a gateway's proxy in the server's namespace, with the label `app: edge`, until the stack
 * ends.
 *
 * @param ip its own loopback address
 * @param more other options; labels are added
 */
export async function startEdge(
  stack: AsyncDisposableStack,
  world: SecurityWorld,
  ip: string,
  { labels, ...more }: Partial<AgentOptions> = {},
): Promise<Agent> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-edge-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  return stack.use(
    await startAgent({
      role: "router",
      name: "edge",
      namespace: SERVER_NAMESPACE,
      labels: { app: "edge", ...labels },
      ip,
      xds: world.daemon.xds,
      envoy: await envoyPath(),
      dir,
      interception: "NONE",
      ...more,
    }),
  );
}
