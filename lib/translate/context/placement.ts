/**
 * Placement of a proxy: its class, and what else decides which layers it sees.
 *
 * @module
 */
import type { Patching } from "../../derive/mod.ts";
import type { Collection } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";

/** Where a proxy stands: its class, and the Sidecar that narrows what it sees. */
export interface Placement {
  readonly cls: ProxyClass;
  /** `namespace/name`; `""` for none. */
  readonly sidecar: string;
  /** As `Places.placeOf`; `""` for none. */
  readonly place: string;
  /** As `telemetryKey`. */
  readonly telemetry: string;
  /** What changes resources after they were made. */
  readonly patching: Patching;
}

/** Finds the layers of a placement by type URL. */
export type LayersOf = (placement: Placement) => ReadonlyMap<string, readonly Collection[]>;

/** Finds the layers of a placement for a type; `undefined` for types that are not served to it. */
export type AgentLayersOf = (
  placement: Placement,
  typeUrl: string,
) => readonly Collection[] | undefined;

/** Whether a class is a gRPC library and no proxy. */
export function isGrpc({ options }: Pick<ProxyClass, "options">): boolean {
  return options.GENERATOR === "grpc";
}
