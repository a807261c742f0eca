/**
 * The table of listeners of a sidecar's workload, and of redirected traffic.
 *
 * @module
 */
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import type { RecordedDecision } from "../../../kit/base/mod.ts";
import { parseClusterName } from "../../model/mod.ts";
import { type Read, type Resource, text } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { inboundPorts } from "../clusters/mod.ts";
import { variantOf } from "../context/mod.ts";
import { telemetryKey } from "../telemetry/mod.ts";
import { managerDefaults } from "./defaults.ts";
import type { Context } from "./features.ts";
import { encodeInParts, type ListenerTable, resourceTable } from "../resources/mod.ts";
import { originateListeners } from "./tunnels.ts";
import { inboundListeners, VIRTUAL_INBOUND, virtualListeners } from "./inbound.ts";

/** Creates the table: key of a class → listeners. */
export function deriveClassListeners(context: Context): ListenerTable {
  return resourceTable(
    context.mesh.graph,
    "lds.class",
    text,
    (read, key) => listenersOf(read, context, read.get(context.classes, key)),
  );
}

function listenersOf(read: Read, context: Context, cls: ProxyClass): readonly Resource[] {
  const aboutPorts: RecordedDecision[] = [];
  const collecting = read.mapped((decision) => {
    aboutPorts.push(decision);
    return undefined;
  });
  const ports = inboundPorts(collecting, context, cls);
  const listeners: Listener[] = cls.interception === "NONE"
    ? inboundListeners(read, context, cls, ports)
    : virtualListeners(read, context, cls, ports);
  for (const decision of aboutPorts) recordPort(read, decision, listeners);
  return listeners.map((l) => encodeInParts(read, l.name, ListenerSchema, l));
}

/** Records a decision about a port as one about its listener, or about that of redirected traffic. */
function recordPort(
  read: Read,
  { of = [], ...decision }: RecordedDecision,
  listeners: readonly Listener[],
): void {
  const port = parseClusterName(of[0] ?? "")?.port;
  const ofPort = listeners.find((l) => port !== undefined && l.name.endsWith(`_${port}`));
  read.decide?.({ ...decision, of: [ofPort?.name ?? VIRTUAL_INBOUND, ...of] });
}

/** Creates the table: key of the class of a gateway → listeners of its tunnels. */
export function deriveTunnelListeners(context: Context): ListenerTable {
  return resourceTable(context.mesh.graph, "lds.tunnels", text, (read, key) => {
    const cls = read.get(context.classes, key);
    const telemetry = telemetryKey(read, context, cls, "");
    const manager = managerDefaults(read, context, variantOf(cls, telemetry));
    return originateListeners(read, context, cls, manager)
      .map((l) => encodeInParts(read, l.name, ListenerSchema, l));
  });
}
