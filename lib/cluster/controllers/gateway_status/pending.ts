/**
 * The objects whose status may not be right: those that changed, or whose status in the mesh may have.
 *
 * @module
 */
import { rowRef } from "../../../mesh/graph/mod.ts";
import { objectKey } from "../../../mesh/model/mod.ts";
import type { GatewayApiObjectStatus } from "./merge.ts";

/** The name of an object; classes have no namespace. */
export interface GatewayApiName {
  readonly namespace: string;
  readonly name: string;
}

/** The status of an object, as the mesh derives it. */
export interface FollowedStatus {
  /**
   * The status; the same one as long as it is equal. Undefined: Mesh does not handle the object, and
   * writes nothing.
   */
  read(): GatewayApiObjectStatus | undefined;
  close(): void;
}

/** The status of an object that Mesh never handles. */
export const NO_STATUS: FollowedStatus = { read: () => undefined, close: () => {} };

/** Follows the status of an object: `changed` is called when it may have changed since it was read. */
export type FollowStatus = (
  kind: string,
  object: GatewayApiName,
  changed: () => void,
) => FollowedStatus;

/** An object that has a status. */
export interface StatusObject extends GatewayApiName {
  readonly kind: string;
  readonly status: FollowedStatus;
}

/** Objects with a status, and those among them that have to be looked at. */
export class PendingStatus {
  readonly #follow: FollowStatus;
  readonly #known = new Map<string, StatusObject>();
  readonly #pending = new Set<StatusObject>();

  constructor(follow: FollowStatus) {
    this.#follow = follow;
  }

  /** An object is new, or was changed. */
  put(kind: string, { namespace, name }: GatewayApiName): void {
    const key = rowRef({ table: kind, key: objectKey({ namespace, name }) });
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#pending.add(known);
      return;
    }
    const changed = () => {
      this.#pending.add(object);
    };
    const status = this.#follow(kind, { namespace, name }, changed);
    const object: StatusObject = { kind, namespace, name, status };
    this.#known.set(key, object);
    this.#pending.add(object);
  }

  /** An object was deleted. */
  delete(kind: string, object: GatewayApiName): void {
    const key = rowRef({ table: kind, key: objectKey(object) });
    const known = this.#known.get(key);
    if (known === undefined) return;
    this.#known.delete(key);
    this.#pending.delete(known);
    known.status.close();
  }

  /** All objects have to be looked at. */
  putAll(): void {
    for (const object of this.#known.values()) this.#pending.add(object);
  }

  get size(): number {
    return this.#pending.size;
  }

  /** The objects to look at; each stays until `settle`. */
  objects(): readonly StatusObject[] {
    return [...this.#pending];
  }

  /** The status of an object is right. */
  settle(object: StatusObject): void {
    this.#pending.delete(object);
  }

  /** Ends following. */
  close(): void {
    for (const { status } of this.#known.values()) status.close();
    this.#known.clear();
    this.#pending.clear();
  }
}
