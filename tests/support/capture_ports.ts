/**
 * Ports of captured traffic for proxies that have no network namespace of their own.
 *
 * @module
 */
import { freePorts } from "../../scripts/harness/mod.ts";

/** Writes a mesh configuration with free ports for captured traffic, and returns its path. */
export async function writeCapturePorts(dir: string): Promise<string> {
  const [outbound, inbound] = freePorts(2);
  const path = `${dir}/mesh.yaml`;
  await Deno.writeTextFile(
    path,
    `proxyListenPort: ${outbound}\nproxyInboundListenPort: ${inbound}\n`,
  );
  return path;
}
