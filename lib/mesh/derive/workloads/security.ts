/**
 * Security policies of workloads: the mode of mutual TLS, the rules for tokens, and
 * the access policies.
 *
 * @module
 */
import { type Derived, text } from "../../graph/mod.ts";
import {
  byAge,
  type ConfigObject,
  fromObject,
  keySetName,
  type ObjectKey,
  type PeerMode,
} from "../../model/mod.ts";
import {
  type PeerAuthentication,
  PeerAuthentication_MutualTLS_Mode as Mode,
} from "#mesh/security/v1beta1/peer_authentication_pb.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { type Workload, workloadKeys } from "../inputs/mod.ts";
import {
  deriveAttached,
  deriveSelected,
  indexSelectors,
  selecting,
  type SelectionOptions,
  selectsByLabels,
  type WaypointTarget,
} from "./selection.ts";

/** Mutual TLS of a workload, by port. */
export interface PeerModes {
  readonly mode: PeerMode;
  /** Ports that differ from {@link mode}, by their number at the workload. */
  readonly ports: Readonly<Record<string, PeerMode>>;
}

/** The derived tables about security. */
export interface Security {
  /** Row keys of the AuthorizationPolicies that apply to a workload. */
  readonly authorization: Derived<readonly string[], Workload>;
  /** Row keys of the RequestAuthentications that apply to a workload. */
  readonly tokens: Derived<readonly string[], Workload>;
  /** Row keys of the AuthorizationPolicies that are attached to a destination at a waypoint. */
  readonly attachedAuthorization: Derived<readonly string[], WaypointTarget>;
  /** Row keys of the RequestAuthentications that are attached to it. */
  readonly attachedTokens: Derived<readonly string[], WaypointTarget>;
  readonly peerModes: Derived<PeerModes, Workload>;
  /** The PeerAuthentication that selects a workload by labels and counts; undefined: none. */
  readonly peerPolicy: Derived<ObjectKey | undefined, Workload>;
  /** `all` → names of the key sets that rules refer to, sorted; see `keySetName`. */
  readonly keySets: Derived<readonly string[]>;
}

/** Creates the tables. */
export function deriveSecurity(
  { graph, tables }: MeshInputs,
  options: SelectionOptions,
): Security {
  const access = indexSelectors(graph, tables.authorizationPolicies);
  const requests = indexSelectors(graph, tables.requestAuthentications);
  const peers = indexSelectors(graph, tables.peerAuthentications);
  const peerModes = graph.derive(
    "security.peerModes",
    workloadKeys,
    (read, workload): PeerModes => {
      const root = options.rootNamespace(read);
      const rows = selecting(read, peers, workload, root);
      for (const row of rows) {
        read.decide?.({ group: "mutualTls", ...fromObject(row, "spec"), value: "takes part" });
      }
      return composeModes(rows, root);
    },
  );
  const peerPolicy = graph.derive(
    "security.peerPolicy",
    workloadKeys,
    (read, workload): ObjectKey | undefined => {
      const root = options.rootNamespace(read);
      const [row] = ofWorkloads(selecting(read, peers, workload, root), root);
      return row && { namespace: row.meta.namespace, name: row.meta.name };
    },
  );
  const keySets = graph.index(
    tables.requestAuthentications,
    "RequestAuthentication.keySets",
    { bucket: text, member: text },
    function* (row) {
      for (const rule of row.spec.jwtRules) {
        const name = keySetName(rule);
        if (name !== undefined) yield ["all", name];
      }
    },
  );
  return {
    authorization: deriveSelected(graph, "security.authorization", access, options),
    tokens: deriveSelected(graph, "security.tokens", requests, options),
    attachedAuthorization: deriveAttached(graph, "security.attached", access, options),
    attachedTokens: deriveAttached(graph, "security.attachedTokens", requests, options),
    peerModes,
    peerPolicy,
    keySets: graph.derive(
      "security.keySets",
      text,
      (read, bucket) => read.members(keySets, bucket),
    ),
  };
}

const MODES: Readonly<Partial<Record<Mode, PeerMode>>> = {
  [Mode.DISABLE]: "disable",
  [Mode.PERMISSIVE]: "permissive",
  [Mode.STRICT]: "strict",
};

/** The modes of policies: of each level the oldest one counts; a mode that it leaves unset is the next level's. */
function composeModes(rows: readonly ConfigObject<PeerAuthentication>[], root: string): PeerModes {
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
function ofWorkloads(rows: readonly PeerRow[], root: string): PeerRow[] {
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

export function modeOf({ mode, ports }: PeerModes, port: number): PeerMode {
  return ports[String(port)] ?? mode;
}
