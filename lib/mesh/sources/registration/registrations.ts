/**
 * Workloads that register themselves: for a proxy that names a WorkloadGroup when it connects, a
 * WorkloadEntry is made from the group's template, for as long as it is connected.
 *
 * @module
 */
import type { ObjectChanges } from "../../ingest/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { type ConfigObject, objectKey, type ProxyNode } from "../../model/mod.ts";
import type { WorkloadGroup } from "#mesh/networking/v1alpha3/workload_group_pb.ts";
import { entryName, entryOf, GROUP_ANNOTATION } from "./entry.ts";
import { counts } from "./metrics.ts";
import type {
  RegisteredEntry,
  RegistrationOptions,
  Registrations,
  StoredWorkload,
} from "./types.ts";
import { isHolder, refuse, type Workload } from "./workload.ts";

const log = scope("registration");

/** Node metadata with the name of the group, which is in the proxy's own namespace. */
const GROUP = "AUTO_REGISTER_GROUP";

/** Creates an empty set of registrations. */
export function createRegistrations(options: RegistrationOptions): Registrations {
  return new Workloads(options);
}

class Workloads implements Registrations {
  readonly #options: RegistrationOptions;
  readonly #groups = new Map<string, ConfigObject<WorkloadGroup>>();
  readonly #workloads = new Map<string, Workload>();
  readonly #byStream = new Map<string, Workload>();

  constructor(options: RegistrationOptions) {
    this.#options = options;
    for (const stored of options.stored ?? []) {
      const workload = this.#workloadOf(stored);
      this.#workloads.set(workload.key, workload);
      this.#await(workload);
    }
  }

  opened(stream: string, node: ProxyNode): void {
    const group = node.metadata[GROUP];
    if (typeof group !== "string" || group === "") return;
    if (!this.#mayRegister(group, node)) return refuse(group, node);
    const workload = this.#connect(stream, group, node);
    if (workload === undefined) return;
    if (!this.#groups.has(workload.group)) {
      counts.failed.inc();
      log.warn("a workload names an unknown WorkloadGroup; it is registered once that exists", {
        group: workload.group,
        proxy: stream,
      });
    }
    this.#update(workload);
    this.#options.onState?.();
  }

  closed(stream: string): void {
    const workload = this.#byStream.get(stream);
    this.#byStream.delete(stream);
    if (workload === undefined) return;
    workload.streams.delete(stream);
    if (workload.streams.size > 0) return this.#update(workload);
    counts.unregistered.inc();
    this.#await(workload);
  }

  /** Deletes a workload unless it connects within the grace time. */
  #await(workload: Workload): void {
    const { timer, graceMs, clock } = this.#options;
    workload.disconnectedAt = clock();
    this.#options.onState?.();
    workload.cancelDeletion = timer(() => this.#forget(workload), graceMs);
  }

  /**
   * Compares the proved identity of a proxy with the group; a proxy that proved none may not
   * register. A group that comes later is compared then.
   */
  #mayRegister(group: string, { namespace, identity }: ProxyNode): boolean {
    if (!this.#options.validateIdentity) return true;
    if (identity === undefined) return false;
    const known = this.#groups.get(objectKey({ namespace, name: group }));
    const account = known?.spec.template?.serviceAccount ?? "";
    const own = `/ns/${namespace}/sa/`;
    return identity.includes(own) && (account === "" || identity.endsWith(`${own}${account}`));
  }

  reported(stream: string, fault: string | undefined): void {
    const workload = this.#byStream.get(stream);
    const healthy = fault === undefined;
    if (!this.#options.health || workload === undefined) return;
    if (!isHolder(workload, workload.streams.get(stream)!)) return;
    const before = this.#isHealthy(workload);
    workload.reported = healthy;
    if (before === healthy) return;
    log.info("a workload's health changed", { entry: workload.key, healthy, message: fault });
    this.#update(workload);
  }

  follow({ upserts, deletes }: ObjectChanges): void {
    const changed = new Set<string>();
    for (const object of upserts) {
      const key = objectKey(object.meta);
      if (object.meta.kind === "WorkloadEntry" && !isRegistered(object)) this.#setTaken(key, true);
      if (object.meta.kind !== "WorkloadGroup") continue;
      this.#groups.set(key, object as ConfigObject<WorkloadGroup>);
      changed.add(key);
    }
    for (const identity of deletes) {
      const key = objectKey(identity);
      if (identity.kind === "WorkloadEntry") this.#setTaken(key, false);
      if (identity.kind === "WorkloadGroup" && this.#groups.delete(key)) changed.add(key);
    }
    if (changed.size === 0) return;
    for (const workload of this.#workloads.values()) {
      if (changed.has(workload.group)) this.#update(workload);
    }
  }

  objects(): ConfigObject[] {
    return [...this.#workloads.keys()].sort()
      .flatMap((key) => this.#workloads.get(key)?.entry ?? []);
  }

  entries(): RegisteredEntry[] {
    return [...this.#workloads.values()].flatMap(({ entry, since, disconnectedAt }) =>
      entry === undefined ? [] : [{ entry, since, disconnectedAt }]
    );
  }

  close(): void {
    for (const workload of this.#workloads.values()) workload.cancelDeletion?.();
  }

  /** `undefined` when the name of the entry is that of a connected workload of another group. */
  #connect(stream: string, group: string, node: ProxyNode): Workload | undefined {
    const fresh = { group, node, since: this.#options.clock() };
    const key = objectKey({ namespace: node.namespace, name: entryName(group, node) });
    const before = this.#workloads.get(key);
    const isOthers = before && before.group !== objectKey({ ...node, name: group });
    if (isOthers && before.streams.size > 0) {
      counts.failed.inc();
      log.warn("a workload may not register: its entry is that of another group", {
        entry: key,
        proxy: stream,
      });
      return undefined;
    }
    before?.cancelDeletion?.();
    if (isOthers) this.#forget(before);
    const workload = before && !isOthers ? before : this.#workloadOf(fresh);
    workload.cancelDeletion = undefined;
    workload.disconnectedAt = undefined;
    workload.streams.set(stream, node);
    this.#workloads.set(key, workload);
    this.#byStream.set(stream, workload);
    return workload;
  }

  /**
   * Selects the proxy of the entry. A connected proxy that may register keeps the entry against
   * proxies with another identity; of its own streams the newest counts.
   */
  #choose(workload: Workload): void {
    const name = workload.group.slice(workload.group.indexOf("/") + 1);
    const connected = [...workload.streams.values()];
    const accepted = connected.filter((node) => this.#mayRegister(name, node));
    const own = accepted.filter((node) => isHolder(workload, node));
    const next = own.at(-1) ?? accepted[0] ?? connected.at(-1);
    if (next === undefined || next === workload.node) return;
    if (own.length === 0) workload.reported = undefined;
    workload.node = next;
  }

  #workloadOf(
    { group, node, since, healthy }: Omit<StoredWorkload, "healthy"> & { healthy?: boolean },
  ): Workload {
    const { namespace } = node;
    const name = entryName(group, node);
    const key = objectKey({ namespace, name });
    return {
      key,
      group: objectKey({ namespace, name: group }),
      name,
      since,
      node,
      streams: new Map(),
      reported: healthy,
      disconnectedAt: undefined,
      taken: this.#options.isTaken(key),
    };
  }

  #stored(): StoredWorkload[] {
    return [...this.#workloads.values()].filter(({ entry }) => entry !== undefined)
      .map((workload) => ({
        group: workload.group.slice(workload.group.indexOf("/") + 1),
        since: workload.since,
        healthy: this.#isHealthy(workload),
        node: workload.node,
      }));
  }

  /** By the last report. Before the first one, a workload whose group has a probe is not healthy. */
  #isHealthy({ reported, group }: Workload): boolean {
    const isProbed = this.#options.health && this.#groups.get(group)?.spec.probe !== undefined;
    return reported ?? !isProbed;
  }

  #changed(changes: ObjectChanges): void {
    this.#options.onChange(changes);
    this.#options.onStore?.(() => this.#stored());
    this.#options.onState?.();
  }

  #setTaken(key: string, taken: boolean): void {
    const workload = this.#workloads.get(key);
    if (workload === undefined || workload.taken === taken) return;
    workload.taken = taken;
    this.#update(workload);
  }

  /** Adds, changes or deletes the entry of a workload, as its group and its state require. */
  #update(workload: Workload): void {
    const group = this.#groups.get(workload.group);
    const before = workload.entry;
    this.#choose(workload);
    const isAccepted = group !== undefined && this.#mayRegister(group.meta.name, workload.node);
    if (group !== undefined && !isAccepted) refuse(group.meta.name, workload.node);
    const isUsable = isAccepted && !workload.taken;
    const healthy = this.#isHealthy(workload);
    const next = isUsable ? make({ ...workload, healthy }, group) : undefined;
    if (next === undefined) {
      workload.entry = undefined;
      if (before === undefined) return;
      if (!workload.taken) counts.deleted.inc();
      this.#remove(before);
      return;
    }
    if (before?.digest === next.digest) return;
    workload.entry = next;
    (before === undefined ? counts.made : counts.updated).inc();
    this.#changed({ upserts: [next], deletes: [] });
  }

  #forget(workload: Workload): void {
    this.#workloads.delete(workload.key);
    if (workload.entry === undefined) return;
    counts.deleted.inc();
    log.info("a workload did not reconnect", { entry: workload.key });
    this.#remove(workload.entry);
  }

  #remove(entry: ConfigObject): void {
    this.#changed({ upserts: [], deletes: [entry.meta] });
  }
}

/** True for an entry that a daemon, perhaps another one, made of a registration. */
export function isRegistered({ meta }: ConfigObject): boolean {
  return meta.annotations[GROUP_ANNOTATION] !== undefined;
}

/** The entry of a workload; `undefined` when its group makes no valid one. */
function make(
  workload: Workload & { readonly healthy: boolean },
  group: ConfigObject<WorkloadGroup>,
): ConfigObject | undefined {
  const generation = workload.entry?.meta.generation ?? 0;
  const { entry, problems } = entryOf({ ...workload, generation }, group);
  if (problems !== undefined) {
    counts.failed.inc();
    log.warn("a workload cannot be registered", { entry: workload.key, reasons: problems });
  }
  return entry;
}
