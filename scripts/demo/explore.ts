/**
 * The end of the demo: addresses to explore and, on a terminal, what happens until Ctrl-C.
 *
 * @module
 */
import { type Agent, type ConfigDir, type Daemon, spread } from "../harness/mod.ts";
import { ADDRESSES, type DemoPorts, HOST } from "./config.ts";
import { follow } from "./live.ts";
import type { Narrator } from "./narrator.ts";

/** Counts in words, for example `v1: 80, v2: 20`. */
export function words(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts).sort().map(([k, n]) => `${k}: ${n}`).join(", ");
}

/** Prints the addresses to explore. On a terminal, prints what happens until Ctrl-C. */
export async function explore(
  narrator: Narrator,
  { daemon, config, client, ports }: {
    readonly daemon: Daemon;
    readonly config: ConfigDir;
    readonly client: Agent;
    readonly ports: DemoPorts;
  },
  signal: AbortSignal,
): Promise<void> {
  narrator.say(`
The debug page: ${daemon.http}/debug
   metrics      ${daemon.monitoring}/metrics
   Envoy        ${client.admin}
   requests     curl -H 'Host: ${HOST}:${ports.shop}' http://127.0.0.1:${ports.shop}/
                curl -H 'Host: ${HOST}' http://127.0.0.1:${ports.ingress}/
                curl -H 'Host: ${HOST}:${ports.shop}' http://${ADDRESSES.guest}:${ports.shop}/  (denied)
   the config   ${config.path}`);
  if (!Deno.stdin.isTerminal()) return;
  narrator.say(`
The mesh stays up. Ctrl-C stops it. Edit files in another terminal, for example
   sed -i 's/weight: 80/weight: 30/' ${config.path}/routes.yaml
Each edit and its effect on the traffic appear here:
`);
  narrator.event("traffic", await currentTraffic(ports));
  await follow({
    daemon,
    traffic: () => currentTraffic(ports),
    print: (label, text) => narrator.event(label, text),
    signal,
  });
}

/** Number of requests of each kind that show the traffic after an edit. */
const GLANCE = 100;

/** Sends requests to the callers' proxies and to the gateway, and says in words who answered. */
async function currentTraffic(ports: DemoPorts): Promise<string> {
  const count = async (at: string, host: string, headers: Record<string, string> = {}) => {
    try {
      return words(await spread(GLANCE, `http://${at}/`, { host, headers }));
    } catch (e) {
      return `no answer (${e instanceof Error ? e.message : e})`;
    }
  };
  const shop = `${HOST}:${ports.shop}`;
  const client = await count(`127.0.0.1:${ports.shop}`, shop);
  const tester = await count(`127.0.0.1:${ports.shop}`, shop, { "x-user": "tester" });
  const guest = await count(`${ADDRESSES.guest}:${ports.shop}`, shop);
  const outside = await count(`127.0.0.1:${ports.ingress}`, HOST);
  return `client ${client} | tester ${tester} | guest ${guest} | from outside ${outside}`;
}
