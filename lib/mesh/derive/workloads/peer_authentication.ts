/**
 * Modes of mutual TLS from PeerAuthentications: which policy counts at each level, what ports inherit.
 *
 * @module
 */
import { byAge, type ConfigObject, type PeerMode } from "../../model/mod.ts";
import {
  type PeerAuthentication,
  PeerAuthentication_MutualTLS_Mode as Mode,
} from "#mesh/security/v1beta1/peer_authentication_pb.ts";
import { selectsByLabels } from "./selection.ts";

/** Mutual TLS of a workload, by port. */
export interface PeerModes {
  readonly mode: PeerMode;
  /** Ports that differ from {@link mode}, by their number at the workload. */
  readonly ports: Readonly<Record<string, PeerMode>>;
}

const MODES: Readonly<Partial<Record<Mode, PeerMode>>> = {
  [Mode.DISABLE]: "disable",
  [Mode.PERMISSIVE]: "permissive",
  [Mode.STRICT]: "strict",
};

/** The modes of policies: of each level the oldest one counts; a mode that it leaves unset is the next level's. */
export function composeModes(
  rows: readonly ConfigObject<PeerAuthentication>[],
  root: string,
): PeerModes {
  const level = (test: (row: ConfigObject<PeerAuthentication>) => boolean) =>
    rows.filter(test).sort(byAge)[0]?.spec;
  const mesh = level((row) => row.meta.namespace === root && !selectsByLabels(row.spec));
  const namespace = level((row) => row.meta.namespace !== root && !selectsByLabels(row.spec));
  const workload = ofWorkloads(rows, root)[0]?.spec;
  const set = [workload, namespace, mesh].map((spec) => MODES[spec?.mtls?.mode ?? Mode.UNSET]);
  const mode = set.find((one) => one !== undefined) ?? "permissive";
  return { mode, ports: portModes(workload, mode) };
}

type PeerRow = ConfigObject<PeerAuthentication>;

/** The policies that select workloads by labels, the one that counts first. */
export function ofWorkloads(rows: readonly PeerRow[], root: string): PeerRow[] {
  return rows.filter((row) => row.meta.namespace !== root && selectsByLabels(row.spec)).sort(byAge);
}

/** Ports whose mode differs from that of the workload. */
function portModes(spec: PeerAuthentication | undefined, mode: PeerMode): Record<string, PeerMode> {
  const ports: Record<string, PeerMode> = {};
  for (const [port, mtls] of Object.entries(spec?.portLevelMtls ?? {})) {
    const own = MODES[mtls.mode] ?? mode;
    if (own !== mode) ports[port] = own;
  }
  return ports;
}

/** The modes of a policy that selects by labels, within those of its namespace. */
export function modesWithin(spec: PeerAuthentication, around: PeerMode): PeerModes {
  const mode = MODES[spec.mtls?.mode ?? Mode.UNSET] ?? around;
  return { mode, ports: portModes(spec, mode) };
}

/** The mode of a port. */
export function modeOf({ mode, ports }: PeerModes, port: number): PeerMode {
  return ports[String(port)] ?? mode;
}
