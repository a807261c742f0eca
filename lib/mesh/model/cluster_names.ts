/**
 * The parts of a cluster's name. Routes, statistics, debug commands and the SNI of other gateways have
 * such names.
 *
 * @module
 */

/** Direction of a cluster's traffic. `inbound-vip` is used by waypoints. */
export type Direction = "inbound" | "outbound" | "inbound-vip";

/** The parts of a cluster's name. */
export interface ClusterNameParts {
  readonly direction: Direction;
  readonly port: number;
  /** Empty: the whole service. */
  readonly subset: string;
  /** Empty for inbound clusters. */
  readonly host: string;
}

/** Parses a name of either form; `undefined` for other text. */
export function parseClusterName(name: string): ClusterNameParts | undefined {
  const match = BAR_FORM.exec(name) ?? SRV_FORM.exec(name);
  const [, direction, port, subset, host] = match ?? [];
  if (direction === undefined || Number(port) > 65535) return undefined;
  return {
    direction: direction as Direction,
    port: Number(port),
    subset: subset ?? "",
    host: host ?? "",
  };
}

const BAR_FORM = /^(inbound-vip|inbound|outbound)\|(\d{1,5})\|([^|]*)\|([^|]*)$/;

// A subset's name has no underscore, so the first `_.` after the port ends it.
const SRV_FORM = /^(inbound-vip|inbound|outbound)_\.(\d{1,5})_\.([^_]*)_\.(.*)$/;
