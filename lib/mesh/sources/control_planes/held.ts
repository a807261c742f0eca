/**
 * The objects that one control plane has sent.
 *
 * @module
 */
import { hash } from "../../../kit/base/mod.ts";
import type { ObjectChanges } from "../../ingest/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import type { Any } from "../../../kit/proto/mod.ts";
import type { Kind, ObjectIdentity, SchemaProblem } from "../../schema/mod.ts";
import type { SourceProblem } from "../files/source_problem.ts";
import { type ReadResource, readResource } from "./objects.ts";

/** A resource with the result of reading it. */
interface Held {
  /** Hash of its bytes. */
  readonly digest: string;
  /** The object in use: the last good one, if the resource is rejected. */
  readonly object: ConfigObject | undefined;
  readonly read: ReadResource;
}

/** Objects in use, by kind and name. */
export interface HeldObjects {
  /** Replaces all objects of a kind. Returns the changes. */
  replace(kind: Kind, resources: readonly Any[]): ObjectChanges;
  /** Drops everything; returns the changes. */
  clear(): ObjectChanges;
  objects(): ConfigObject[];
  problems(): SourceProblem[];
  warnings(): SchemaProblem[];
}

/** Starts without objects. */
export function createHeldObjects(source: string): HeldObjects {
  const kinds = new Map<string, ReadonlyMap<string, Held>>();
  const all = (): Held[] => [...kinds.values()].flatMap((held) => [...held.values()]);
  return {
    replace(kind, resources) {
      const before = kinds.get(kind.kind) ?? new Map<string, Held>();
      const known = new Map([...before.values()].map((held) => [held.digest, held]));
      const now = new Map<string, Held>();
      for (const [at, resource] of resources.entries()) {
        const digest = hash(resource.value);
        const next = known.get(digest) ?? take({ kind, resource, source, digest }, before);
        // Resources without a name are kept for their problems.
        now.set(next.read.key || `${at}`, next);
      }
      kinds.set(kind.kind, now);
      return changesBetween(before, now);
    },
    clear() {
      const changes = [...kinds.values()].map((held) => changesBetween(held, new Map()));
      kinds.clear();
      return { upserts: [], deletes: changes.flatMap(({ deletes }) => deletes) };
    },
    objects: () => all().flatMap(({ object }) => object ?? []),
    problems: () =>
      all().flatMap(({ object, read }) =>
        read.problems.map((problem) => ({ ...problem, lastGoodServes: object !== undefined }))
      ),
    warnings: () => all().flatMap(({ read }) => read.warnings),
  };
}

/** A resource that is not held yet. */
interface Arrived {
  readonly kind: Kind;
  readonly resource: Any;
  readonly source: string;
  readonly digest: string;
}

/** Reads a resource. If it is rejected, the last good version of its object stays. */
function take(
  { kind, resource, source, digest }: Arrived,
  before: ReadonlyMap<string, Held>,
): Held {
  const read = readResource(kind, resource, source);
  const last = before.get(read.key)?.object;
  const { object } = read;
  if (object === undefined) return { digest, object: last, read };
  if (last?.digest === object.digest && last.meta.creationTime === object.meta.creationTime) {
    return { digest, object: last, read };
  }
  const generation = (last?.meta.generation ?? 0) + 1;
  return { digest, object: { ...object, meta: { ...object.meta, generation } }, read };
}

function changesBetween(
  before: ReadonlyMap<string, Held>,
  now: ReadonlyMap<string, Held>,
): ObjectChanges {
  const upserts = [...now].flatMap(([key, { object }]) =>
    object !== undefined && object !== before.get(key)?.object ? [object] : []
  );
  const deletes = [...before].flatMap(([key, { object }]): ObjectIdentity[] => {
    if (object === undefined || now.get(key)?.object !== undefined) return [];
    const { kind, namespace, name } = object.meta;
    return [{ kind, namespace, name }];
  });
  return { upserts, deletes };
}
