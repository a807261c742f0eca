/**
 * Transport to a cluster whose address is not known in advance: through a tunnel, or to the address
 * of a name that is resolved for each connection.
 *
 * @module
 */
import type { RuleKeys } from "../../derive/mod.ts";
import type { TcpChain } from "../../envoy/mod.ts";
import { parseClusterName } from "../../model/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { ServiceKey } from "../../model/mod.ts";
import type { Context } from "./context.ts";
import { type Client, findServiceRules } from "./lookups.ts";
import { mergedPolicy } from "./traffic_policy.ts";

/**
 * The settings of a chain. They come from the rule of the destination as a whole: a chain with
 * several destinations has none, because all share one way of forwarding.
 */
export function transportTo(
  read: Read,
  context: Context,
  client: Client,
  clusters: TcpChain["clusters"],
): Pick<TcpChain, "tunnel" | "lookUpPort"> {
  const [only, ...more] = clusters;
  const parts = only && more.length === 0 ? parseClusterName(only.cluster) : undefined;
  if (parts === undefined) return {};
  const { host, port, subset } = parts;
  const chosen = findServiceRules(read, context, client, host);
  if (chosen === undefined) return {};
  return {
    ...tunnelOf(read, context, chosen.rules, { port, subset }),
    ...portOfLookup(read, context, chosen.service, port),
  };
}

function tunnelOf(
  read: Read,
  { mesh }: Context,
  keys: RuleKeys,
  { port, subset: name }: { readonly port: number; readonly subset: string },
): Pick<TcpChain, "tunnel"> {
  const rules = read.get(mesh.policies.policy, keys);
  const subset = rules.subsets.find((one) => one.name === name);
  const { policy, decisions } = mergedPolicy(read, { rules, subset, port });
  const { tunnel } = policy ?? {};
  if (tunnel === undefined) return {};
  const to = `${bracketed(tunnel.targetHost)}:${tunnel.targetPort}`;
  const decision = decisions.get("tunnel");
  if (decision !== undefined) read.decide?.({ ...decision, value: to });
  return { tunnel: { to, method: tunnel.protocol === "POST" ? "POST" : "CONNECT" } };
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** The port at the looked-up address, of a service whose names are looked up for each connection. */
function portOfLookup(
  read: Read,
  { mesh }: Context,
  key: ServiceKey,
  number: number,
): Pick<TcpChain, "lookUpPort"> {
  const service = read.get(mesh.services.service, key);
  if (service?.resolution !== "DYNAMIC_DNS") return {};
  return { lookUpPort: service.ports.find((p) => p.number === number)?.targetPort ?? number };
}
