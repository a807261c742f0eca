/**
 * The DNS proxy of `pilot-agent proxy`.
 *
 * @module
 */
import type { AgentPlan, AgentSettings, AgentSubscription } from "../../lib/node/agent/mod.ts";
import {
  NAME_TABLE_URL,
  nameTableJson,
  readDnsEnv,
  startDnsProxy,
} from "../../lib/node/dns/mod.ts";
import { readResolvConf } from "../../lib/node/resolv/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { type Route, route, text } from "../../lib/kit/web/mod.ts";

/** A running DNS proxy with its links to the agent. */
export interface AgentDns {
  /** Brings the name table from the daemon. */
  readonly subscription: AgentSubscription;
  /** For the status server. */
  readonly routes: readonly Route[];
  stop(): Promise<void>;
}

/**
 * Starts the DNS proxy if the variables ask for it.
 *
 * @throws {MeshError} `dns-address`, `dns-listen`
 */
export async function startDns(
  settings: AgentSettings,
  plan: AgentPlan,
): Promise<AgentDns | undefined> {
  const env = (() => {
    using _ = useEnvironment(new Map(Object.entries(settings.environ)));
    return readDnsEnv();
  })();
  if (!env.enabled) return undefined;
  const [, , instance = "", domain = ""] = plan.node.id.split("~");
  const proxy = await startDnsProxy({
    address: env.address,
    parallel: env.parallel,
    resolvConf: await readResolvConf(),
    scope: { namespace: instance.split(".").at(-1) ?? "", domain },
    ownAddresses: Deno.networkInterfaces().map(({ address }) => address),
  });
  return {
    subscription: { typeUrl: NAME_TABLE_URL, update: (table) => proxy.update(table) },
    routes: [nameTableRoute(() => proxy.table && nameTableJson(proxy.table))],
    stop: () => proxy.stop(),
  };
}

/** The route of the name table; `table` gives it in JSON, if there is one. */
export function nameTableRoute(table: () => string | undefined): Route {
  return route("GET", "/debug/ndsz", ({ local }) => {
    if (!local) return text("Only requests from localhost are allowed\n", { status: 403 });
    const headers = { "content-type": "application/json" };
    const json = table();
    return json === undefined
      ? new Response("{}", { status: 404, headers })
      : new Response(json, { headers });
  });
}
