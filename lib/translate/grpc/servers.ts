/**
 * What a workload serves whose gRPC library speaks xDS: mutual TLS where it is demanded, and access
 * control.
 *
 * @module
 */
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { deriveTelling, lookUp, modeOf, type Tell, within } from "../../derive/mod.ts";
import { buildGrpcServerListener } from "../../envoy/mod.ts";
import type { Derived, Read, Resource } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import type { Context } from "../context/mod.ts";
import { encodeResource, sameResources } from "../resources/mod.ts";
import { tellPolicies } from "../security/mod.ts";

/** Addresses that stand for all of a machine's, which servers listen on. */
const EVERY_ADDRESS = ["0.0.0.0", "::"];

/** Creates the table: key of a class → its listeners. */
export function deriveGrpcServers(context: Context): Derived<readonly Resource[]> {
  const { graph } = context.mesh;
  return deriveTelling<readonly Resource[]>(graph, "lds.grpc.class", (read, key, tell) => {
    return serversOf(read, context, read.get(context.classes, key), tell);
  }, { equal: sameResources });
}

function serversOf(
  read: Read,
  context: Context,
  cls: ProxyClass,
  tell: Tell | undefined,
): Resource[] {
  const { security } = context.mesh;
  const modes = lookUp(read, security.peerModes, cls, tell);
  const accessKeys = read.get(security.authorization, cls);
  if (tell !== undefined) tellPolicies(tell, "access", "AuthorizationPolicy", accessKeys);
  const { filters } = read.get(context.guards.libraries, accessKeys);
  const ports = [...new Set(cls.targets.map((target) => target.targetPort))];
  return ports.flatMap((port) =>
    EVERY_ADDRESS.map((address) => {
      const listener = buildGrpcServerListener({
        address,
        port,
        mutualTls: modeOf(modes, port) === "strict",
        filters,
      });
      tellServed(cls, port, within(tell, listener.name));
      return encodeResource(listener.name, ListenerSchema, listener);
    })
  );
}

/** Says which services a port of the workload is served for; of them nothing more is read. */
function tellServed({ targets }: ProxyClass, listened: number, tell: Tell | undefined): void {
  for (const { service, targetPort } of tell === undefined ? [] : targets) {
    if (targetPort === listened) tell?.({ group: "service", source: "proxy", value: service });
  }
}
