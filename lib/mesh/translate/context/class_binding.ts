/**
 * Class bindings: the class of a connected proxy, and what else decides which layers it sees.
 *
 * @module
 */
import type { Patching } from "../../derive/mod.ts";
import type { Collection } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import type { TelemetryKey } from "./context.ts";

/** The class of a proxy, and what else decides which layers it sees. */
export interface ClassBinding {
  readonly cls: ProxyClass;
  /** Key of the Sidecar that narrows what it sees, `namespace/name`; `""` for none. */
  readonly sidecar: string;
  /** See `Localities.ofClass`; `""`: none. */
  readonly locality: string;
  readonly telemetry: TelemetryKey;
  /** Names of the outbound listeners at its own addresses, which it does not have; sorted. */
  readonly ownListeners: readonly string[];
  /** The objects that change its resources after translation. */
  readonly patching: Patching;
}

/** Finds the layers of a class binding by type URL. */
export type LayersOf = (binding: ClassBinding) => ReadonlyMap<string, readonly Collection[]>;

/** Finds the layers of a class binding for a type; `undefined` for types that it is not served. */
export type AgentLayersOf = (
  binding: ClassBinding,
  typeUrl: string,
) => readonly Collection[] | undefined;

/** Reports if a class is a proxyless gRPC program. */
export function isGrpc({ options }: Pick<ProxyClass, "options">): boolean {
  return options.GENERATOR === "grpc";
}
