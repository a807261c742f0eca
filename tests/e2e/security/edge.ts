/**
 * A gateway in front of the security fixture.
 *
 * @module
 */
import { type Agent, type AgentOptions, startAgent } from "../../../scripts/harness/mod.ts";
import { envoyPath } from "../../../scripts/tools.ts";
import { documents, manifest, to } from "../../support/manifest.ts";
import { type SecurityWorld, SERVER_NAMESPACE } from "./world.ts";

/** Routes requests at a port of the gateway's own address to a host. */
export function edgeRoutes(address: string, port: number, host: string): string {
  return documents(
    manifest("Gateway", "edge", {
      selector: { app: "edge" },
      servers: [{
        port: { number: port, name: "http", protocol: "HTTP" },
        bind: address,
        hosts: ["*"],
      }],
    }, SERVER_NAMESPACE),
    manifest("VirtualService", "edge", {
      hosts: ["*"],
      gateways: ["edge"],
      http: [to(host)],
    }, SERVER_NAMESPACE),
  );
}

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
