/**
 * How connections get to a cluster where it is not by an address that is known
 * beforehand: through a tunnel, or to a name that is looked up when it comes.
 *
 * @module
 */
import { serviceKeys } from "../../model/mod.ts";
import { ruleKeys, type Tell, type Told } from "../../derive/mod.ts";
import { parseClusterName, type TcpChain } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import {
  type Caller,
  type Context,
  mergeTrafficPolicy,
  notingListener,
  pickFor,
} from "../context/mod.ts";

/**
 * What a chain says of that. A tunnel is the destination's as a whole, so that of
 * several destinations, which share one way of forwarding, none has any.
 */
export function waysTo(
  read: Read,
  context: Context,
  caller: Caller,
  clusters: TcpChain["clusters"],
  tell?: Tell,
): Pick<TcpChain, "tunnel" | "lookUpPort"> {
  const [only, ...more] = clusters;
  const parts = only && more.length === 0 ? parseClusterName(only.cluster) : undefined;
  if (parts === undefined) return {};
  const { host, port, subset } = parts;
  const chosen = pickFor(read, context, caller, host);
  if (chosen === undefined) return {};
  return {
    ...tunnelOf(read, context, chosen.rules, { port, subset }, tell),
    ...lookedUp(read, context, chosen.service, port),
  };
}

function tunnelOf(
  read: Read,
  { mesh }: Context,
  rules: string,
  { port, subset: name }: { readonly port: number; readonly subset: string },
  tell: Tell | undefined,
): Pick<TcpChain, "tunnel"> {
  const policy = read.get(mesh.policies.policy, ruleKeys.decode(rules));
  const subset = policy.subsets.find((one) => one.name === name);
  const groups = tell && new Map<string, Told>();
  const noting = groups && notingListener(groups, policy, subset);
  const { tunnel } =
    mergeTrafficPolicy(policy.trafficPolicy, subset?.trafficPolicy, port, undefined, noting) ?? {};
  if (tunnel === undefined) return {};
  const told = groups?.get("tunnel");
  const to = `${bracketed(tunnel.targetHost)}:${tunnel.targetPort}`;
  if (told !== undefined) tell?.({ ...told, value: to });
  return { tunnel: { to, method: tunnel.protocol === "POST" ? "POST" : "CONNECT" } };
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

function lookedUp(
  read: Read,
  { mesh }: Context,
  key: string,
  number: number,
): Pick<TcpChain, "lookUpPort"> {
  const service = read.get(mesh.services.service, serviceKeys.decode(key));
  if (service?.resolution !== "DYNAMIC_DNS") return {};
  return { lookUpPort: service.ports.find((p) => p.number === number)?.targetPort ?? number };
}
