/**
 * The custom resources of one kind that are in use.
 *
 * @module
 */
import type { Intake } from "../../ingest/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import {
  type Changes,
  follow,
  type Following,
  type FollowState,
  type FollowTiming,
  type OrchClient,
} from "../../../kit/orch/mod.ts";
import { isCustom, type Kind, type ObjectIdentity, type SchemaProblem } from "../../schema/mod.ts";
import type { SourceProblem } from "../files/source_problem.ts";
import {
  furtherVersions,
  type ReadItem,
  readItem,
  readItemInSteps,
  resourceTypeOf,
} from "./objects.ts";
import type { RevisionSelection } from "./revision.ts";
import { configEvents, eventCounter } from "./services/metrics.ts";

/** Settings of {@link followKind}. */
export interface KindOptions {
  readonly client: OrchClient;
  /** `meta.origin.source` of the objects. */
  readonly source: string;
  readonly intake: Pick<Intake, "objects">;
  /** The only namespace that is read; empty: all. */
  readonly namespace: string;
  /** The objects that are used; all without it. */
  readonly revision?: RevisionSelection | undefined;
  readonly timing?: Partial<FollowTiming> | undefined;
  /** Called after the objects were reported, and after a rejected one was read. */
  readonly changed: () => void;
  readonly stateChanged: (state: FollowState) => void;
}

export interface KindObjects {
  /** False for kinds that others define: clusters may be without them. */
  readonly isCustom: boolean;
  /** Plural and group, such as `gateways.networking.mesh.io`. */
  readonly resource: string;
  /** Resolves when all objects were received once, or following was closed. */
  readonly synced: Promise<void>;
  state(): FollowState;
  /** The objects in use: the last good version of a rejected one. */
  objects(): ConfigObject[];
  problems(): SourceProblem[];
  warnings(): SchemaProblem[];
  /** Selects the objects again: the tags of revisions have changed. */
  select(): void;
  close(): Promise<void>;
}

/** Follows a kind. If the server does not have it, it is looked for again and again. */
export function followKind(kind: Kind, options: KindOptions): KindObjects {
  return new Objects(kind, options);
}

class Objects implements KindObjects {
  readonly isCustom: boolean;
  readonly resource: string;
  readonly #kind: Kind;
  readonly #options: KindOptions;
  readonly #following: Following<ReadItem>;
  readonly #inUse = new Map<string, ConfigObject>();
  /** The objects with problems or warnings, of all revisions. */
  readonly #faulty = new Map<string, ReadItem>();

  constructor(kind: Kind, options: KindOptions) {
    this.#kind = kind;
    this.isCustom = isCustom(kind);
    this.#options = options;
    this.resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
    const { client, source, namespace, timing, stateChanged } = options;
    const type = resourceTypeOf(kind);
    const versions = furtherVersions(kind);
    const count = eventCounter<ReadItem>(
      configEvents,
      kind.kind,
      ({ name }) => `${name.namespace} ${name.name}`,
    );
    this.#following = follow<ReadItem>({
      client,
      type,
      optional: true,
      ...(versions === undefined ? {} : { versions }),
      ...(type.namespaced && namespace !== "" ? { selection: { namespace } } : {}),
      convert: (item) => readItem(kind, item, source),
      convertInSteps: (item) => readItemInSteps(kind, item, source),
      changed: (changes) => {
        count(changes);
        this.#update(changes);
      },
      stateChanged,
      ...(timing === undefined ? {} : { timing }),
    });
  }

  get synced(): Promise<void> {
    return this.#following.synced;
  }

  state(): FollowState {
    return this.#following.state();
  }

  objects(): ConfigObject[] {
    return [...this.#inUse.values()];
  }

  problems(): SourceProblem[] {
    return this.#ownFaulty().flatMap(({ name, problems }) => {
      const lastGoodServes = this.#inUse.has(keyOf(name));
      return problems.map((problem) => ({ ...problem, lastGoodServes }));
    });
  }

  warnings(): SchemaProblem[] {
    return this.#ownFaulty().flatMap(({ warnings }) => warnings);
  }

  select(): void {
    this.#update({ upserts: this.#following.values(), deletes: [] });
  }

  close(): Promise<void> {
    return this.#following.close();
  }

  #ownFaulty(): ReadItem[] {
    return [...this.#faulty.values()].filter((item) => this.#isOwn(item));
  }

  /** The label selects configuration. A namespace has it for its injector. */
  #isOwn({ labels }: ReadItem): boolean {
    return this.#kind.metadataOnly || (this.#options.revision?.isOwn(labels) ?? true);
  }

  #update(changes: Changes<ReadItem>): void {
    const upserts: ConfigObject[] = [];
    const deletes: ObjectIdentity[] = [];
    const drop = (name: ReadItem["name"]): void => {
      if (this.#inUse.delete(keyOf(name))) deletes.push({ kind: this.#kind.kind, ...name });
    };
    for (const item of changes.upserts) {
      this.#note(item);
      if (!this.#isOwn(item)) {
        drop(item.name);
        continue;
      }
      const next = this.#next(item);
      if (next === undefined) continue;
      this.#inUse.set(keyOf(item.name), next);
      upserts.push(next);
    }
    for (const { namespace, name } of changes.deletes) {
      this.#faulty.delete(keyOf({ namespace, name }));
      drop({ namespace, name });
    }
    const { intake, changed } = this.#options;
    if (upserts.length + deletes.length > 0) intake.objects({ upserts, deletes });
    changed();
  }

  #note(item: ReadItem): void {
    const isFaulty = item.problems.length + item.warnings.length > 0;
    if (isFaulty) this.#faulty.set(keyOf(item.name), item);
    else this.#faulty.delete(keyOf(item.name));
  }

  /** The new version of an object; `undefined` if it is rejected, or only its status has changed. */
  #next({ name, object }: ReadItem): ConfigObject | undefined {
    const last = this.#inUse.get(keyOf(name));
    if (object === undefined || last?.digest === object.digest) return undefined;
    const generation = object.meta.generation || (last?.meta.generation ?? 0) + 1;
    return { ...object, meta: { ...object.meta, generation } };
  }
}

function keyOf({ namespace, name }: ReadItem["name"]): string {
  return JSON.stringify([namespace, name]);
}
