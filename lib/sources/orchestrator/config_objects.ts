/**
 * Source of configuration objects: the custom resources and namespaces of an orchestrator.
 *
 * @module
 */
import type { Intake } from "../../ingest/mod.ts";
import { scope } from "../../log/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import {
  type Changes,
  follow,
  type Following,
  type FollowState,
  type FollowTiming,
  type OrchClient,
} from "../../orch/mod.ts";
import { type Kind, KINDS, type ObjectIdentity, type SchemaProblem } from "../../schema/mod.ts";
import { createProblemReporter } from "../files/problem_reporter.ts";
import type { SourceProblem } from "../files/source_problem.ts";
import { configEvents, eventCounter } from "./services/metrics.ts";
import { followServices, type Registry } from "./services/registry.ts";
import { readSharing, type SharedService } from "./services/sharing.ts";
import {
  PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES,
  PILOT_ENABLE_SERVICEENTRY_SELECT_PODS,
} from "../variables.ts";
import { type ReadItem, readItem, resourceTypeOf } from "./objects.ts";
import type { RevisionSelection } from "./revision.ts";

const log = scope("orch");

/** Settings of the source. */
export interface OrchestratorOptions {
  readonly client: OrchClient;
  /** `meta.origin.source` of the objects. */
  readonly source: string;
  readonly intake: Intake;
  /** The only namespace that is read; empty: all. */
  readonly namespace: string;
  /** The namespace whose label names the network of the cluster. */
  readonly systemNamespace: string;
  /** DNS suffix of services. */
  readonly domain: string;
  /** The custom resources that are read; all without it. */
  readonly revision?: RevisionSelection;
  /** Kinds that are read. */
  readonly kinds?: readonly Kind[];
  readonly timing?: Partial<FollowTiming>;
}

/** A followed resource type, for the debug page. */
export interface FollowedResource extends FollowState {
  /** Plural and group, such as `gateways.networking.mesh.io`. */
  readonly resource: string;
}

/** The followed objects of an orchestrator. */
export interface OrchestratorObjects {
  /** Resolves when all objects of all kinds were received once, or the source was closed. */
  readonly synced: Promise<void>;
  /** Objects in use, and the rows of Services. */
  objects(): readonly ConfigObject[];
  problems(): readonly SourceProblem[];
  warnings(): readonly SchemaProblem[];
  resources(): FollowedResource[];
  /** Services that are exported to other clusters, or imported. */
  shared(): SharedService[];
  close(): Promise<void>;
}

/** Follows all kinds. Kinds that the server does not have are looked for again and again. */
export function followObjects(options: OrchestratorOptions): OrchestratorObjects {
  return new Source(options);
}

/** One followed kind. */
interface FollowedKind {
  readonly kind: Kind;
  readonly resource: string;
  readonly following: Following<ReadItem>;
  /** Objects in use by name: the last good one of a rejected object. */
  readonly inUse: Map<string, ConfigObject>;
}

class Source implements OrchestratorObjects {
  readonly synced: Promise<void>;
  readonly #options: OrchestratorOptions;
  readonly #kinds: FollowedKind[];
  readonly #registry: Registry;
  readonly #unsubscribe: () => void;
  readonly #reporter = createProblemReporter(log);
  #fault: string | undefined;

  constructor(options: OrchestratorOptions) {
    this.#options = options;
    this.#kinds = [];
    for (const kind of options.kinds ?? KINDS) this.#kinds.push(this.#follow(kind));
    this.#registry = followServices({
      ...options,
      selectEntries: PILOT_ENABLE_K8S_SELECT_WORKLOAD_ENTRIES.get(),
      selectPods: PILOT_ENABLE_SERVICEENTRY_SELECT_PODS.get(),
      sharing: readSharing(),
      stateChanged: () => this.#stateChanged(),
    });
    const { revision } = options;
    this.#unsubscribe = revision?.onChange(() => this.#select()) ?? (() => {});
    const synced = this.#kinds.map(({ following }) => following.synced);
    this.synced = Promise.all([...synced, this.#registry.synced, revision?.synced]).then(() => {
      const absent = this.#kinds.filter(({ following }) => following.state().absent);
      if (absent.length > 0) {
        const resources = absent.map(({ resource }) => resource);
        log.warn("the orchestrator does not have all kinds; install their definitions", {
          resources,
        });
      }
      options.intake.synced();
    });
  }

  objects(): ConfigObject[] {
    return [
      ...this.#kinds.flatMap(({ inUse }) => [...inUse.values()]),
      ...this.#registry.services(),
    ];
  }

  problems(): SourceProblem[] {
    return this.#reporter.dated(this.#problems());
  }

  warnings(): SchemaProblem[] {
    return this.#kinds.flatMap((followed) =>
      this.#items(followed).flatMap(({ warnings }) => warnings)
    );
  }

  shared(): SharedService[] {
    return this.#registry.shared();
  }

  resources(): FollowedResource[] {
    return [
      ...this.#kinds.map(({ resource, following }) => ({ resource, ...following.state() })),
      ...this.#registry.states().map(([resource, state]) => ({ resource, ...state })),
    ];
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    const following = this.#kinds.map((kind) => kind.following.close());
    await Promise.all([...following, this.#registry.close()]);
  }

  #follow(kind: Kind): FollowedKind {
    const { client, source, namespace, timing } = this.#options;
    const type = resourceTypeOf(kind);
    const inUse = new Map<string, ConfigObject>();
    const count = eventCounter<ReadItem>(
      configEvents,
      kind.kind,
      ({ name }) => `${name.namespace} ${name.name}`,
    );
    const following = follow<ReadItem>({
      client,
      type,
      optional: true,
      ...(type.namespaced && namespace !== "" ? { selection: { namespace } } : {}),
      convert: (item) => readItem(kind, item, source),
      changed: (changes) => {
        count(changes);
        this.#changed(kind, inUse, changes);
      },
      stateChanged: () => this.#stateChanged(),
      ...(timing === undefined ? {} : { timing }),
    });
    const resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
    return { kind, resource, following, inUse };
  }

  /** Selects again: the tags of revisions have changed. */
  #select(): void {
    for (const { kind, following, inUse } of this.#kinds) {
      this.#changed(kind, inUse, { upserts: following.values(), deletes: [] });
    }
  }

  /** The label selects configuration. A namespace has it for its injector. */
  #isOwn({ metadataOnly }: Kind, { labels }: ReadItem): boolean {
    return metadataOnly || (this.#options.revision?.isOwn(labels) ?? true);
  }

  #changed(kind: Kind, inUse: Map<string, ConfigObject>, changes: Changes<ReadItem>): void {
    const upserts: ConfigObject[] = [];
    const deletes: ObjectIdentity[] = [];
    const drop = ({ namespace, name }: ReadItem["name"]): void => {
      if (!inUse.delete(JSON.stringify([namespace, name]))) return;
      deletes.push({ kind: kind.kind, namespace, name });
    };
    for (const item of changes.upserts) {
      const { name, object } = item;
      if (!this.#isOwn(kind, item)) {
        drop(name);
        continue;
      }
      if (object === undefined) continue;
      const key = JSON.stringify([name.namespace, name.name]);
      const last = inUse.get(key);
      // Changes of the status are no changes of the object.
      if (last?.digest === object.digest) continue;
      const counted = (last?.meta.generation ?? 0) + 1;
      const generation = object.meta.generation || counted;
      const next = { ...object, meta: { ...object.meta, generation } };
      inUse.set(key, next);
      upserts.push(next);
    }
    for (const name of changes.deletes) drop(name);
    if (upserts.length + deletes.length > 0) this.#options.intake.objects({ upserts, deletes });
    this.#reporter.report(this.#problems(), this.warnings());
  }

  #problems(): SourceProblem[] {
    return this.#kinds.flatMap((followed) =>
      this.#items(followed).flatMap(({ name, problems }) => {
        const { inUse } = followed;
        const lastGoodServes = inUse.has(JSON.stringify([name.namespace, name.name]));
        return problems.map((problem) => ({ ...problem, lastGoodServes }));
      })
    );
  }

  #items({ kind, following }: FollowedKind): ReadItem[] {
    return following.values().filter((item) => this.#isOwn(kind, item));
  }

  /** Reports one reason for all kinds: they are on one server. */
  #stateChanged(): void {
    const faulty = this.resources().filter(({ fault }) => fault !== undefined);
    const [first] = faulty;
    const fault = first === undefined ? undefined : `${first.resource}: ${first.fault}`;
    const was = this.#fault;
    this.#fault = fault;
    this.#options.intake.health(fault);
    if (was === undefined && fault !== undefined) {
      const line = { reason: fault };
      log.warn("the orchestrator cannot be followed; the last configuration stays in use", line);
    } else if (was !== undefined && fault === undefined) {
      log.info("the orchestrator is followed again");
    }
  }
}
