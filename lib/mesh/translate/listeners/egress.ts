/**
 * Outbound listeners that Sidecar resources shape.
 *
 * @module
 */
import { CaptureMode } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { protocolOf, type SidecarKey } from "../../derive/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { mayBeHttp } from "../../model/mod.ts";
import { egressOf, importedHosts, routeName } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { type ListenerTable, resourceTable } from "../resources/mod.ts";
import { type EgressListenerKey, egressListenerKeys } from "./keys.ts";
import { addressListeners, type ListenerScope, sharedListener, tcpServices } from "./tcp.ts";

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
  const declared = spec.port === undefined ? undefined : protocolOf(spec.port.protocol);
  const protocol = declared === undefined || mayBeHttp(declared) ? undefined : declared;
  const at: ListenerScope = {
    variant: { ...variant, bound },
    namespace,
    port,
    ...clients,
    sidecar,
    bind: spec.bind === "" ? undefined : spec.bind,
    httpRoutes: protocol === undefined ? routeName(spec.bind, port) : undefined,
    protocol,
  };
  if (host !== undefined) return addressListeners(read, context, at, host);
  const grpcWeb = declared === undefined
    ? importsGrpcWeb(read, context, scope, { listener, port })
    : declared === "GRPC-Web";
  if (kind === "http") {
    return sharedListener(read, context, at, { services: [], declaresHttp: true, grpcWeb });
  }
  const hosts = importedHosts(read, context, scope, listener);
  const services = tcpServices(read, context, at, hosts);
  return sharedListener(read, context, at, { services, declaresHttp: kind === "mixed", grpcWeb });
}

/** Reports if an egress listener imports a host that has gRPC-Web at a port. */
function importsGrpcWeb(
  read: Read,
  context: Context,
  scope: SidecarKey,
  { listener, port }: { readonly listener: number; readonly port: number },
): boolean {
  const hosts = ["", scope.namespace].flatMap((namespace) =>
    read.members(context.mesh.indexes.grpcWebHosts, { namespace, port })
  );
  if (hosts.length === 0) return false;
  const imported = new Set(importedHosts(read, context, scope, listener));
  return hosts.some((host) => imported.has(host));
}
