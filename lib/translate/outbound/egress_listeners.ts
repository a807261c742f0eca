/**
 * Outbound listeners that Sidecar resources shape.
 *
 * @module
 */
import { CaptureMode } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { type Context, egressOf, importedHosts, routeName } from "../context/mod.ts";
import { type ListenerTable, resourceTable } from "../resources/mod.ts";
import { type EgressListenerKey, egressListenerKeys } from "../tables/mod.ts";
import {
  addressListeners,
  type ListenerScope,
  sharedListener,
  tcpServices,
} from "./tcp_listeners.ts";

/** Creates the table of egress listeners. */
export function deriveEgressListeners(context: Context): ListenerTable<EgressListenerKey> {
  return resourceTable(
    context.mesh.graph,
    "lds.egress",
    egressListenerKeys,
    (read, key) => egressListeners(read, context, key),
  );
}

/** The listeners of a member, for all clients that the Sidecar applies to, or for certain ones. */
export function egressListeners(
  read: Read,
  context: Context,
  { variant, namespace, sidecar, member }: EgressListenerKey,
  clients: Pick<ListenerScope, "labels" | "rules"> = {},
): readonly Resource[] {
  const { listener, port, kind, host } = member;
  const scope = { namespace, sidecar };
  const spec = egressOf(read, context, scope)[listener];
  if (spec === undefined) return [];
  const bound = spec.captureMode === CaptureMode.NONE ||
    (spec.captureMode === CaptureMode.DEFAULT && variant.bound);
  read.decide?.({
    group: "listener",
    source: "object",
    object: `Sidecar/${sidecar}`,
    field: `spec.egress[${listener}]`,
  });
  const at: ListenerScope = {
    variant: { ...variant, bound },
    namespace,
    port,
    ...clients,
    sidecar,
    bind: spec.bind === "" ? undefined : spec.bind,
    httpRoutes: kind === "raw" ? undefined : routeName(spec.bind, port),
  };
  if (host !== undefined) return addressListeners(read, context, at, host);
  if (kind === "http") {
    return sharedListener(read, context, at, { services: [], declaresHttp: true });
  }
  const hosts = importedHosts(read, context, scope, listener);
  const services = tcpServices(read, context, at, hosts);
  return sharedListener(read, context, at, { services, declaresHttp: kind === "mixed" });
}
