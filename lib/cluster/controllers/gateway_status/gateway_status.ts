/**
 * Controller: the status of objects of the Gateway API, and conditions of ambient mode.
 *
 * @module
 */
import {
  type Following,
  isConflict,
  isNotFound,
  type ListItem,
  mergePatch,
  type ObjectName,
  type OrchObject,
  type ResourceType,
  type Selection,
} from "../../../kit/orch/mod.ts";
import { observe, reconcile, type Term, Wake } from "../reconcile.ts";
import { createPace, type StatusPace } from "../status/pace.ts";
import { type GatewayApiObjectStatus, type OwnParts, statusChange } from "./merge.ts";
import { type FollowStatus, type GatewayApiName, PendingStatus } from "./pending.ts";

/** An object, without its specification. */
export interface GatewayApiItem extends ListItem {
  readonly status?: GatewayApiObjectStatus;
}

/** Inputs of the controller. */
export interface GatewayStatusInputs {
  readonly types: readonly ResourceType[];
  /** Further versions in which a type is followed, as `FollowOptions` has them. */
  readonly versionsOf?: (type: ResourceType) => readonly string[] | undefined;
  /** The name of the controller in the status of routes and policies. */
  readonly controllerName: string;
  /** The parts of a status that are written; default: those of the Gateway API. */
  readonly own?: OwnParts;
  readonly follow: FollowStatus;
  /** Longest time until a change of the mesh is noticed, in milliseconds. */
  readonly everyMs: number;
  readonly pace: StatusPace;
  /** Objects beside those with a status, which the status depends on. */
  readonly beside?: readonly BesideObjects[];
}

/** Objects that are followed beside those with a status. */
export interface BesideObjects {
  readonly type: ResourceType;
  readonly selection: Selection;
  /** Called with them before status is derived; none also if they may not be read. */
  seen(items: readonly BesideItem[]): void;
}

/** An object beside those with a status: a ConfigMap, or a definition. */
export interface BesideItem extends ListItem {
  readonly data?: Readonly<Record<string, string>>;
}

/** Finds objects whose status is not right. */
export interface GatewayStatusCheck {
  /** The changes of the status; undefined: none. */
  of(
    item: GatewayApiItem,
    wanted: GatewayApiObjectStatus,
    now: string,
  ): Record<string, unknown> | undefined;
  /** Notes that `wanted` was written and gave this version of the object. */
  written(item: GatewayApiItem, wanted: GatewayApiObjectStatus, version: string | undefined): void;
}

/**
 * Compares a status again only if the object or its status are others than before. A server whose
 * definitions lack a field drops it; what was written once is not written again to the same version.
 */
export function createGatewayStatusCheck(
  controllerName: string,
  own?: OwnParts,
): GatewayStatusCheck {
  const right = new WeakMap<GatewayApiItem, GatewayApiObjectStatus>();
  const versions = new WeakMap<GatewayApiObjectStatus, string>();
  return {
    of(item, wanted, now) {
      if (right.get(item) === wanted) return undefined;
      const { resourceVersion } = item.metadata;
      const isWritten = resourceVersion !== undefined && versions.get(wanted) === resourceVersion;
      const change = isWritten ? undefined : statusChange(item.status ?? {}, wanted, {
        controllerName,
        now,
        ...(own === undefined ? {} : { own }),
      });
      if (change === undefined) right.set(item, wanted);
      return change;
    },
    written(item, wanted, version) {
      if (version === undefined) return;
      versions.set(wanted, version);
      // The server left the object as it was.
      if (version === item.metadata.resourceVersion) right.set(item, wanted);
    },
  };
}

/** The part of an object that the controller reads. */
function kept({ metadata, status }: GatewayApiItem): GatewayApiItem {
  const { name, namespace, resourceVersion } = metadata;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** Follows the objects of a type, and notes those that changed. */
function followType(
  term: Term,
  type: ResourceType,
  { wake, inputs, pending }: {
    readonly wake: Wake;
    readonly inputs: GatewayStatusInputs;
    readonly pending: PendingStatus;
  },
): Following<GatewayApiItem> {
  const named = ({ namespace = "", name }: ObjectName): GatewayApiName => ({ namespace, name });
  return observe<GatewayApiItem>(term, type, {
    wake,
    convert: kept,
    versions: inputs.versionsOf?.(type),
    changed({ upserts, deletes }) {
      for (const { metadata } of upserts) pending.put(type.kind, named(metadata));
      for (const one of deletes) pending.delete(type.kind, named(one));
    },
  });
}

/** Writes status until the end of the term. */
export async function runGatewayStatus(term: Term, inputs: GatewayStatusInputs): Promise<void> {
  const wake = new Wake();
  const pace = createPace(inputs.pace);
  const check = createGatewayStatusCheck(inputs.controllerName, inputs.own);
  const pending = new PendingStatus(inputs.follow);
  const followed = new Map(
    inputs.types.map((type) => [type.kind, followType(term, type, { wake, inputs, pending })]),
  );
  const beside = (inputs.beside ?? []).map(({ type, selection, seen }) => ({
    seen,
    items: observe<BesideItem>(term, type, { wake, selection }),
  }));
  const tasks = () => {
    const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    return pending.objects().flatMap((object) => {
      const { kind, status, namespace, name } = object;
      const items = followed.get(kind);
      const item = items?.get({ namespace, name });
      const wanted = item && status.read();
      const change = item && wanted && check.of(item, wanted, now);
      if (
        items === undefined || item === undefined || wanted === undefined || change === undefined
      ) {
        pending.settle(object);
        return [];
      }
      // It is looked at again once it was written, until it is right.
      return [async () => {
        const version = await write(term, items.type(), item, change);
        check.written(item, wanted, version);
      }];
    });
  };
  const others = beside.map(({ items }) => items);
  let events = -1;
  await reconcile(term, wake, {
    name: "gateway-status",
    follows: [...followed.values(), ...others],
    async pass(current) {
      const now = eventsOf(others);
      if (now !== events) {
        for (const { items, seen } of beside) seen([...items.values()]);
        pending.putAll();
        events = now;
      }
      return pending.size === 0 ? 0 : await pace.run(current, tasks);
    },
    everyMs: inputs.everyMs,
  });
  pending.close();
}

/** Writes a change to the version that was seen, and returns the version that it gave. */
async function write(
  { client }: Term,
  type: ResourceType,
  { metadata: { name, namespace, resourceVersion } }: GatewayApiItem,
  status: Record<string, unknown>,
): Promise<string | undefined> {
  const at = { ...(namespace === undefined ? {} : { namespace }), name, subresource: "status" };
  // Lists are replaced as a whole: others may have written to them.
  const version = resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
  try {
    const written = await mergePatch<OrchObject>(client, type, at, { ...version, status });
    return written.metadata.resourceVersion;
  } catch (error) {
    // After a conflict, the change of the other writer begins a further pass.
    if (isNotFound(error) || isConflict(error)) return undefined;
    throw error;
  }
}

/** Lists and events so far: objects are the same as long as it is. */
function eventsOf(followed: readonly Pick<Following<unknown>, "state">[]): number {
  return followed.reduce((sum, items) => {
    const { lists, events } = items.state();
    return sum + lists + events;
  }, 0);
}
