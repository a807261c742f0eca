/**
 * Workloads that register themselves: a proxy that names a WorkloadGroup when it connects gets a
 * WorkloadEntry made of the group's template, for as long as it is connected.
 *
 * @module
 */
import { scope } from "../log/mod.ts";
import { counter } from "../metrics/mod.ts";
import { type ConfigObject, objectKey, type ProxyNode } from "../model/mod.ts";
import { clone, type Message, toJson } from "../proto/mod.ts";
import { checkObject } from "../schema/mod.ts";
import { WorkloadEntrySchema } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { WorkloadGroup } from "#mesh/networking/v1alpha3/workload_group_pb.ts";
import type { ChangeSet } from "./ledger.ts";

const log = scope("registration");

const counts = {
  made: counter({
    name: "auto_registration_success_total",
    help: "WorkloadEntries made for workloads that registered themselves.",
  }),
  updated: counter({
    name: "auto_registration_updates_total",
    help: "WorkloadEntries of registered workloads that were changed.",
  }),
  unregistered: counter({
    name: "auto_registration_unregister_total",
    help: "Registered workloads that disconnected.",
  }),
  deleted: counter({
    name: "auto_registration_deletes_total",
    help: "WorkloadEntries deleted because their workload did not come back, or its group went.",
  }),
  failed: counter({
    name: "auto_registration_errors_total",
    help: "Workloads that wanted to register and could not.",
  }),
};

/** Node metadata that names the group, in the proxy's own namespace. */
const GROUP = "AUTO_REGISTER_GROUP";

/** Annotation of what is made: the group. */
const GROUP_ANNOTATION = "mesh.io/autoRegistrationGroup";

/** Label of a proxy that says where it is, `region/zone/subzone`. */
const LOCALITY_LABEL = "mesh-locality";

/** Longest name of an object. */
const MAX_NAME = 253;

/** What registrations need. */
export interface RegistrationOptions {
  /** How long a workload may be disconnected before its entry goes, milliseconds. */
  readonly graceMs: number;
  /** Whether reports of health count. */
  readonly health: boolean;
  /** Runs something later, unless what is returned is called before. */
  readonly later: (run: () => void, ms: number) => () => void;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Whether another source holds a WorkloadEntry of this key; that one stays. */
  readonly held: (key: string) => boolean;
  /** Called with the entries that came, changed and went. Must not throw. */
  readonly onChange: (changes: ChangeSet) => void;
}

/** Workloads and what was made for them. */
export interface Registrations {
  /** A stream was opened. */
  opened(stream: string, node: ProxyNode): void;
  /** A stream ended. */
  closed(stream: string): void;
  /** A workload said over its stream that it is well (`undefined`), or what is wrong with it. */
  reported(stream: string, fault: string | undefined): void;
  /** Other sources' WorkloadGroups and WorkloadEntries changed. */
  follow(changes: ChangeSet): void;
  /** Entries that were made and are there, sorted by namespace and name. */
  objects(): ConfigObject[];
  /** Forgets all waiting; nothing is deleted by it. */
  close(): void;
}

interface Workload {
  readonly key: string;
  readonly group: string;
  readonly name: string;
  readonly since: number;
  node: ProxyNode;
  readonly streams: Set<string>;
  healthy: boolean;
  /** Another source has an entry of this name. */
  held: boolean;
  entry?: ConfigObject;
  /** Stops waiting for it to come back. */
  stay?: () => void;
}

/** Nobody registered. */
export function createRegistrations(options: RegistrationOptions): Registrations {
  const groups = new Map<string, ConfigObject<WorkloadGroup>>();
  const workloads = new Map<string, Workload>();
  const byStream = new Map<string, Workload>();

  /** Makes, changes or deletes the entry of a workload by what is known now. */
  const settle = (workload: Workload): void => {
    const group = groups.get(workload.group);
    const before = workload.entry;
    const next = group === undefined || workload.held ? undefined : entryOf(workload, group);
    if (next === undefined) {
      workload.entry = undefined;
      if (before !== undefined && !workload.held) {
        counts.deleted.inc();
        options.onChange({ upserts: [], deletes: [before.meta] });
      }
      return;
    }
    if (before?.digest === next.digest) return;
    workload.entry = next;
    (before === undefined ? counts.made : counts.updated).inc();
    options.onChange({ upserts: [next], deletes: [] });
  };
  const forget = (workload: Workload): void => {
    workloads.delete(workload.key);
    if (workload.entry === undefined || workload.held) return;
    counts.deleted.inc();
    log.info("a workload did not come back", { entry: workload.key });
    options.onChange({ upserts: [], deletes: [workload.entry.meta] });
  };
  return {
    opened: (stream, node) => {
      const group = node.metadata[GROUP];
      if (typeof group !== "string" || group === "") return;
      const name = nameOf(group, node);
      const key = `${node.namespace}/${name}`;
      const workload: Workload = workloads.get(key) ?? {
        key,
        group: `${node.namespace}/${group}`,
        name,
        since: options.clock(),
        node,
        streams: new Set(),
        healthy: true,
        held: options.held(key),
      };
      workload.stay?.();
      workload.stay = undefined;
      workload.node = node;
      workload.streams.add(stream);
      workloads.set(key, workload);
      byStream.set(stream, workload);
      if (!groups.has(workload.group)) {
        counts.failed.inc();
        log.warn(
          "a workload names a WorkloadGroup that is not there; it is registered once it is",
          {
            group: workload.group,
            proxy: stream,
          },
        );
      }
      settle(workload);
    },
    closed: (stream) => {
      const workload = byStream.get(stream);
      byStream.delete(stream);
      if (workload === undefined) return;
      workload.streams.delete(stream);
      if (workload.streams.size > 0) return;
      counts.unregistered.inc();
      workload.stay = options.later(() => forget(workload), options.graceMs);
    },
    reported: (stream, fault) => {
      const workload = byStream.get(stream);
      const healthy = fault === undefined;
      if (!options.health || workload === undefined || workload.healthy === healthy) return;
      workload.healthy = healthy;
      log.info("a workload's health changed", { entry: workload.key, healthy, message: fault });
      settle(workload);
    },
    follow: ({ upserts, deletes }) => {
      const changed = new Set<string>();
      const hold = (key: string, held: boolean): void => {
        const workload = workloads.get(key);
        if (workload === undefined) return;
        workload.held = held;
        if (held) workload.entry = undefined;
        else settle(workload);
      };
      for (const object of upserts) {
        const key = objectKey(object.meta);
        if (object.meta.kind === "WorkloadEntry") hold(key, true);
        if (object.meta.kind !== "WorkloadGroup") continue;
        groups.set(key, object as ConfigObject<WorkloadGroup>);
        changed.add(key);
      }
      for (const identity of deletes) {
        const key = objectKey(identity);
        if (identity.kind === "WorkloadEntry") hold(key, false);
        if (identity.kind === "WorkloadGroup" && groups.delete(key)) changed.add(key);
      }
      if (changed.size === 0) return;
      for (const workload of workloads.values()) {
        if (changed.has(workload.group)) settle(workload);
      }
    },
    objects: () => [...workloads.keys()].sort().flatMap((key) => workloads.get(key)?.entry ?? []),
    close: () => {
      for (const workload of workloads.values()) workload.stay?.();
    },
  };
}

/** Name of a workload's entry: its group, address and network. */
function nameOf(group: string, { ip, metadata }: ProxyNode): string {
  const network = metadata.NETWORK;
  const parts = [group, ip.replaceAll(":", "-")];
  if (typeof network === "string" && network !== "") parts.push(network);
  return parts.join("-").slice(-MAX_NAME).replace(/^[-.]+/, "");
}

/** What a group's template makes of a workload: the proxy's own words go before the group's. */
function entryOf(workload: Workload, group: ConfigObject<WorkloadGroup>): ConfigObject | undefined {
  const { node, name, since } = workload;
  const { template, metadata } = group.spec;
  if (template === undefined) return undefined;
  const own = stringsOf(node.metadata.LABELS);
  const entry = clone(WorkloadEntrySchema, template);
  entry.address = node.ip;
  entry.labels = { ...template.labels, ...metadata?.labels, ...own };
  const { NETWORK: network } = node.metadata;
  if (typeof network === "string" && network !== "") entry.network = network;
  const { region, zone, subzone } = node.locality;
  const place = region === "" ? own[LOCALITY_LABEL] ?? "" : [region, zone, subzone].join("/");
  if (place !== "") entry.locality = place.replace(/\/+$/, "");
  const checked = checkObject({
    apiVersion: "networking.mesh.io/v1",
    kind: "WorkloadEntry",
    metadata: {
      name,
      namespace: node.namespace,
      labels: entry.labels,
      annotations: { ...metadata?.annotations, [GROUP_ANNOTATION]: group.meta.name },
    },
    spec: toJson(WorkloadEntrySchema, entry),
  });
  if (checked.object === undefined) {
    counts.failed.inc();
    const reasons = checked.problems.map((one) => `${one.path}: ${one.message}`);
    log.warn("a workload cannot be registered", { entry: workload.key, reasons });
    return undefined;
  }
  const { meta, spec, digest } = checked.object as {
    meta: typeof checked.object.meta;
    spec: Message;
    digest: string;
  };
  const health = workload.healthy ? "healthy" as const : "unhealthy" as const;
  const { line: _, ...described } = meta;
  return {
    meta: {
      ...described,
      kind: "WorkloadEntry",
      creationTime: since,
      generation: (workload.entry?.meta.generation ?? 0) + 1,
      origin: { source: "registration" },
      health,
    },
    spec,
    digest: workload.healthy ? digest : `${digest} ${health}`,
  };
}

function stringsOf(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  const strings = Object.entries(value).filter(([, item]) => typeof item === "string");
  return Object.fromEntries(strings);
}
