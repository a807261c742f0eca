/**
 * Listeners that Sidecar resources shape.
 *
 * @module
 */
import { CaptureMode } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { deriveTelling, type Tell } from "../../derive/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import { type Context, type Flavour, parseFlavour } from "../context/mod.ts";
import { sameResources, splitKey } from "../resources/mod.ts";
import { egressOf, imported, routeName } from "../sidecars/mod.ts";
import { addressListeners, sharedListener, type TcpPlace, tcpServices } from "./tcp_listeners.ts";

/** Creates the table of egress listeners: `flavour|scope|member` → the listener. */
export function deriveEgressListeners(context: Context): Derived<readonly Resource[]> {
  const { graph } = context.mesh;
  return deriveTelling<readonly Resource[]>(graph, "lds.egress", (read, key, tell) => {
    const [flavour = "", namespace = "", sidecar = "", member = ""] = splitKey(key, 4);
    return egressListeners(read, context, {
      flavour: parseFlavour(flavour),
      namespace,
      scope: `${namespace}|${sidecar}`,
      member,
    }, tell);
  }, { equal: sameResources });
}

/** What a listener of a Sidecar is for, and for whom. */
export interface EgressPlace {
  readonly flavour: Flavour;
  readonly namespace: string;
  readonly scope: string;
  readonly member: string;
  /** Of the callers; rules for certain labels are left out without them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Keys of the DestinationRules that select the callers, oldest first. */
  readonly rules?: readonly string[];
}

/** The listeners of a member; see `Egress.listenerMembers`. */
export function egressListeners(
  read: Read,
  context: Context,
  place: EgressPlace,
  tell: Tell | undefined,
): Resource[] {
  const [index = "", portText = "", kind = ""] = place.member.split("|");
  const spec = egressOf(read, context, place.scope)[Number(index)];
  if (spec === undefined) return [];
  const bound = spec.captureMode === CaptureMode.NONE ||
    (spec.captureMode === CaptureMode.DEFAULT && place.flavour.bound);
  const port = Number(portText);
  tell?.({
    group: "listener",
    source: "object",
    object: `Sidecar/${place.scope.slice(place.scope.indexOf("|") + 1)}`,
    field: `spec.egress[${index}]`,
  });
  const at: TcpPlace = {
    flavour: { ...place.flavour, bound },
    namespace: place.namespace,
    port,
    labels: place.labels,
    rules: place.rules,
    sidecar: place.scope.slice(place.scope.indexOf("|") + 1),
    bind: spec.bind === "" ? undefined : spec.bind,
    httpRoutes: kind === "raw" ? undefined : routeName(spec.bind, port),
  };
  if (kind.startsWith("vip/")) {
    return addressListeners(read, context, at, kind.slice("vip/".length), tell);
  }
  if (kind === "http") return sharedListener(read, context, at, [], true, tell);
  const hosts = imported(read, context, place.scope, index);
  const services = tcpServices(read, context, at.namespace, at.port, hosts);
  return sharedListener(read, context, at, services, kind === "mixed", tell);
}
