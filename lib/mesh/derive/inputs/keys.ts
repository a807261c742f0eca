/**
 * Keys of derived tables and index buckets. The empty namespace means a reader that sees only what
 * is exported to all namespaces.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import {
  converted,
  flag,
  integer,
  type KeyCodec,
  keyOf,
  oneOf,
  optional,
  text,
} from "../../graph/mod.ts";
import type { Role } from "../../model/mod.ts";

/** Labels of a workload or object. */
export type Labels = Readonly<Record<string, string>>;

/** The codec of labels: canonical JSON. */
export const labelKeys: KeyCodec<Labels> = converted(text, {
  encode: (labels: Labels) => canonicalJson(labels),
  decode: (json): Labels => JSON.parse(json),
});

/** A host as the proxies of a namespace see it. */
export interface HostKey {
  readonly namespace: string;
  readonly host: string;
}

/** The codec of {@link HostKey}: `namespace|host`. */
export const hostKeys: KeyCodec<HostKey> = keyOf<HostKey>({ namespace: text, host: text });

/** A port as the proxies of a namespace see it. */
export interface PortKey {
  readonly namespace: string;
  readonly port: number;
}

/** The codec of {@link PortKey}: `namespace|port`. */
export const portKeys: KeyCodec<PortKey> = keyOf<PortKey>({ namespace: text, port: integer });

/** Labels of workloads in a namespace. */
export interface LabelsKey {
  readonly namespace: string;
  readonly labels: Labels;
}

/** The codec of {@link LabelsKey}: `namespace|labels`. */
export const labelsKeys: KeyCodec<LabelsKey> = keyOf<LabelsKey>({
  namespace: text,
  labels: labelKeys,
});

/** One label with its value, in a namespace. */
export interface LabelKey {
  readonly namespace: string;
  readonly label: string;
  readonly value: string;
}

/** The codec of {@link LabelKey}: `namespace|label|value`. */
export const labelValueKeys: KeyCodec<LabelKey> = keyOf<LabelKey>({
  namespace: text,
  label: text,
  value: text,
});

/** The proxies of a namespace that a Sidecar applies to; `""` as Sidecar: none applies. */
export interface SidecarKey {
  readonly namespace: string;
  /** Row key of the Sidecar. */
  readonly sidecar: string;
}

/** The codec of {@link SidecarKey}: `namespace|sidecar`. */
export const sidecarKeys: KeyCodec<SidecarKey> = keyOf<SidecarKey>({
  namespace: text,
  sidecar: text,
});

/** An egress listener of a Sidecar, as the proxies of a namespace see it. */
export interface EgressKey extends SidecarKey {
  /** Number of the listener in the Sidecar, from 0; `undefined`: all listeners together. */
  readonly listener: number | undefined;
}

/** The codec of {@link EgressKey}: `namespace|sidecar|listener`. */
export const egressKeys: KeyCodec<EgressKey> = keyOf<EgressKey>({
  namespace: text,
  sidecar: text,
  listener: optional(integer),
});

/** The properties of a workload by which policies select it. */
export interface Workload {
  readonly role: Role;
  readonly namespace: string;
  readonly labels: Labels;
}

/** The codec of {@link Workload}: `role|namespace|labels`. */
export const workloadKeys: KeyCodec<Workload> = keyOf<Workload>({
  role: oneOf("sidecar", "router", "waypoint"),
  namespace: text,
  labels: labelKeys,
});

/** The overlay of outbound listeners of a namespace. */
export interface ListenersKey {
  /** True if the proxies use auto-allocated addresses; see `deriveAutoAddresses`. */
  readonly autoAddresses: boolean;
  readonly namespace: string;
}

/** The codec of {@link ListenersKey}: `autoAddresses|namespace` or `|namespace`. */
export const listenersKeys: KeyCodec<ListenersKey> = keyOf<ListenersKey>({
  autoAddresses: flag("autoAddresses"),
  namespace: text,
});

/** An outbound listener: the one of a port, or that of a host with addresses of its own. */
export interface ListenerMember {
  readonly port: number;
  /** `undefined`: the listener that all services of the port share. */
  readonly host: string | undefined;
}

/** The codec of {@link ListenerMember}: `port|` or `port|host`. */
export const listenerMembers: KeyCodec<ListenerMember> = keyOf<ListenerMember>({
  port: integer,
  host: optional(text),
});
