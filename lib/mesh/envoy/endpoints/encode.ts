/**
 * Encodes endpoint assignments to bytes without intermediate messages. Endpoints change most often,
 * and encoding with messages takes more than twice as long. A property test compares the bytes of
 * both.
 *
 * Field numbers are those of `envoy.config.endpoint.v3` and the messages it uses.
 *
 * @module
 */
import {
  MESH_METADATA,
  TUNNEL_METADATA,
  TUNNEL_MODE,
  tunnelId,
  tunnelListener,
  UNIX_PREFIX,
  WORKLOAD_KEY,
} from "../core/mod.ts";
import { HEALTH, TLS_MODE, TRANSPORT_METADATA, tunnelFields } from "./metadata.ts";
import { planAssignment } from "./plan.ts";
import type { AssignmentInput, PlannedEndpoint, PlannedLocality, TunnelTo } from "./planned.ts";
import { type ReverseWriter, reverseWriter } from "./reverse_writer.ts";

/** Approximate size of an endpoint with a telemetry label; avoids growing the buffer. */
const BYTES_PER_ENDPOINT = 128;

/** The bytes of `buildAssignment(input)`. */
export function encodeAssignment(input: AssignmentInput): Uint8Array {
  const localities = planAssignment(input);
  const out = reverseWriter(256 + input.endpoints.length * BYTES_PER_ENDPOINT);
  for (let i = localities.length - 1; i >= 0; i--) writeLocality(out, localities[i]!);
  out.text(1, input.clusterName);
  return out.bytes();
}

/** `ClusterLoadAssignment.endpoints`. */
function writeLocality(out: ReverseWriter, planned: PlannedLocality): void {
  const { locality, endpoints, weight, priority } = planned;
  const mark = out.length;
  out.number(5, priority);
  writeWeight(out, 3, weight);
  for (let i = endpoints.length - 1; i >= 0; i--) writeEndpoint(out, endpoints[i]!);
  const names = out.length;
  out.text(3, locality.subzone);
  out.text(2, locality.zone);
  out.text(1, locality.region);
  out.message(1, names);
  out.message(2, mark);
}

/** `LocalityLbEndpoints.lb_endpoints`. */
function writeEndpoint(out: ReverseWriter, planned: PlannedEndpoint): void {
  const mark = out.length;
  if (planned.weight !== 1) writeWeight(out, 4, planned.weight);
  writeMetadata(out, planned);
  out.number(2, HEALTH[planned.health]);
  if (planned.tunnel !== undefined) writeTunnelAddress(out, planned.tunnel);
  else writeAddress(out, planned.endpoint.address, planned.port);
  out.message(2, mark);
}

/** A wrapped number, for example `load_balancing_weight`. */
function writeWeight(out: ReverseWriter, field: number, weight: number): void {
  const mark = out.length;
  out.number(1, weight);
  out.message(field, mark);
}

/** `LbEndpoint.endpoint`, down to the socket address (1, 2 and 3) or the pipe (2, 1). */
function writeAddress(out: ReverseWriter, address: string, port: number): void {
  const mark = out.length;
  const unix = address.startsWith(UNIX_PREFIX);
  if (unix) out.text(1, address.slice(UNIX_PREFIX.length));
  else {
    out.number(3, port);
    out.text(2, address);
  }
  out.message(unix ? 2 : 1, mark);
  out.message(1, mark);
  out.message(1, mark);
}

/** The address of the internal listener that opens tunnels: `envoy_internal_address` is 3. */
function writeTunnelAddress(out: ReverseWriter, tunnel: TunnelTo): void {
  const mark = out.length;
  out.text(2, tunnelId(tunnel));
  out.text(1, tunnelListener(tunnel));
  out.message(3, mark);
  out.message(1, mark);
  out.message(1, mark);
}

/** `LbEndpoint.metadata`. */
function writeMetadata(out: ReverseWriter, { label, mutual, tunnel }: PlannedEndpoint): void {
  if (label === "" && !mutual && tunnel === undefined) return;
  const mark = out.length;
  if (label !== "") writeEntry(out, MESH_METADATA, [[WORKLOAD_KEY, label]]);
  if (tunnel !== undefined) {
    writeEntry(out, TUNNEL_METADATA, tunnelFields(tunnel));
    writeEntry(out, TRANSPORT_METADATA, [[TUNNEL_MODE.key, TUNNEL_MODE.http]]);
  } else if (mutual) writeEntry(out, TRANSPORT_METADATA, [[TLS_MODE.key, TLS_MODE.mesh]]);
  out.message(3, mark);
}

/** `Metadata.filter_metadata`: one entry with string fields. */
function writeEntry(
  out: ReverseWriter,
  name: string,
  fields: readonly (readonly [key: string, value: string])[],
): void {
  const mark = out.length;
  for (let i = fields.length - 1; i >= 0; i--) {
    const [key, value] = fields[i]!;
    const field = out.length;
    out.text(3, value); // Value.string_value
    out.message(2, field);
    out.text(1, key);
    out.message(1, field); // Struct.fields
  }
  out.message(2, mark);
  out.text(1, name);
  out.message(1, mark);
}
