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
  type OrchObject,
  type ResourceType,
  type Selection,
} from "../../../kit/orch/mod.ts";
import { observe, reconcile, type Term, Wake } from "../reconcile.ts";
import { createPace, type StatusPace } from "../status/pace.ts";
import { type GatewayApiObjectStatus, type OwnParts, statusChange } from "./merge.ts";

/** An object, without its specification. */
export interface GatewayApiItem extends ListItem {
  readonly status?: GatewayApiObjectStatus;
}

/** The name of an object; classes have no namespace. */
export interface GatewayApiName {
  readonly namespace: string;
  readonly name: string;
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
  /**
   * The status of an object; the same one as long as it is equal. Undefined: Mesh does not handle the
   * object, and writes nothing.
   */
  readonly statusOf: (kind: string, object: GatewayApiName) => GatewayApiObjectStatus | undefined;
  /** Another number when the mesh has changed. */
  readonly revision: () => number;
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

interface Followed {
  readonly type: ResourceType;
  readonly items: Following<GatewayApiItem>;
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

/** Writes status until the end of the term. */
export async function runGatewayStatus(term: Term, inputs: GatewayStatusInputs): Promise<void> {
  const wake = new Wake();
  const pace = createPace(inputs.pace);
  const check = createGatewayStatusCheck(inputs.controllerName, inputs.own);
  const followed: Followed[] = inputs.types.map((type) => ({
    type,
    items: observe<GatewayApiItem>(term, type, {
      wake,
      convert: kept,
      versions: inputs.versionsOf?.(type),
    }),
  }));
  const beside = (inputs.beside ?? []).map(({ type, selection, seen }) => ({
    seen,
    items: observe<BesideItem>(term, type, { wake, selection }),
  }));
  const tasks = () => {
    for (const { items, seen } of beside) seen([...items.values()]);
    const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    return followed.flatMap(({ type, items }) =>
      items.values().flatMap((item) => {
        const { name, namespace = "" } = item.metadata;
        const wanted = inputs.statusOf(type.kind, { namespace, name });
        const change = wanted && check.of(item, wanted, now);
        if (wanted === undefined || change === undefined) return [];
        return [async () => {
          const version = await write(term, items.type(), item, change);
          check.written(item, wanted, version);
        }];
      })
    );
  };
  const others = beside.map(({ items }) => items);
  let checked: { readonly revision: number; readonly events: number } | undefined;
  await reconcile(term, wake, {
    name: "gateway-status",
    follows: [...followed.map(({ items }) => items), ...others],
    async pass(current) {
      const events = eventsOf([...followed.map(({ items }) => items), ...others]);
      const now = { revision: inputs.revision(), events };
      if (checked?.revision === now.revision && checked.events === now.events) return 0;
      let found = 0;
      const done = await pace.run(current, () => {
        const writes = tasks();
        found = writes.length;
        return writes;
      });
      // A write is seen as an event; without one all is as it must be.
      if (found === 0) checked = now;
      return done;
    },
    everyMs: inputs.everyMs,
  });
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
