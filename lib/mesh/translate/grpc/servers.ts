/**
 * Listeners of proxyless gRPC servers: mutual TLS where it is required, and access control.
 *
 * @module
 */
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { modeOf } from "../../derive/mod.ts";
import { buildGrpcServerListener } from "../../envoy/mod.ts";
import { type Read, type Resource, text } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import type { Context } from "../context/mod.ts";
import { encodeResource, type ListenerTable, resourceTable } from "../resources/mod.ts";
import { recordPolicies } from "../security/mod.ts";

/** The wildcard addresses that servers listen on. */
const WILDCARDS = ["0.0.0.0", "::"];

/** Creates the table: key of a class → its listeners. */
export function deriveGrpcServers(context: Context): ListenerTable {
  return resourceTable(
    context.mesh.graph,
    "lds.grpc.class",
    text,
    (read, key) => serversOf(read, context, read.get(context.classes, key)),
  );
}

function serversOf(read: Read, context: Context, cls: ProxyClass): readonly Resource[] {
  const { security } = context.mesh;
  const modes = read.follow(security.peerModes, cls);
  const accessKeys = read.get(security.authorization, cls);
  recordPolicies(read, "access", "AuthorizationPolicy", accessKeys);
  const { filters } = read.get(context.security.proxyless, accessKeys);
  const ports = [...new Set(cls.targets.map((target) => target.targetPort))];
  return ports.flatMap((port) =>
    WILDCARDS.map((address) => {
      const listener = buildGrpcServerListener({
        address,
        port,
        mutualTls: modeOf(modes, port) === "strict",
        filters,
      });
      recordServices(read.within(listener.name), cls, port);
      return encodeResource(listener.name, ListenerSchema, listener);
    })
  );
}

/** Records the services of a port of the workload. */
function recordServices(read: Read, { targets }: ProxyClass, listened: number): void {
  for (const { service, targetPort } of read.decide === undefined ? [] : targets) {
    if (targetPort === listened) {
      read.decide?.({ group: "service", source: "proxy", value: service });
    }
  }
}
