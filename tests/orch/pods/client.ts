/**
 * The program of a client pod: `client.ts XDS ADDRESS DIR`, an agent with Envoy in the namespace in
 * which it runs, whose traffic is captured. It prints `ready`, and ends with its input.
 *
 * @module
 */
import { startAgent } from "../../../scripts/harness/mod.ts";
import { envoyPath } from "../../../scripts/tools.ts";

async function main(xds: string, ip: string, dir: string): Promise<void> {
  await using agent = await startAgent({
    role: "sidecar",
    name: "client",
    namespace: "shop",
    labels: { app: "client" },
    ip,
    xds,
    envoy: await envoyPath(),
    dir,
    env: { MESH_META_INTERCEPTION_MODE: "REDIRECT" },
  });
  console.log("ready");
  for await (const _ of Deno.stdin.readable) { /* Nothing is said; the end is waited for. */ }
  const refused = Object.values(await agent.stats("update_rejected$"));
  if (refused.some((count) => count > 0)) console.log("the proxy refused something");
}

if (import.meta.main) await main(Deno.args[0]!, Deno.args[1]!, Deno.args[2]!);
