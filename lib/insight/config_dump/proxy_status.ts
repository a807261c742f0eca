/** A proxy in the answer of `/debug/syncz`. */
export interface SyncRow {
  readonly cluster_id?: string;
  /** `name.namespace`. */
  readonly proxy: string;
  readonly proxy_version?: string;
  readonly warning?: string;
  readonly [field: `${string}_status` | `${string}_error`]: string | undefined;
  /** Milliseconds since its Envoy exited; it is not connected then. */
  readonly exited_age?: number;
  /** Milliseconds since the type is in its state. */
  readonly [field: `${string}_age`]: number | undefined;
}

/** Columns of types, and the prefixes of their fields. */
const TYPES: readonly (readonly [column: string, field: string])[] = [
  ["CDS", "cluster"],
  ["LDS", "listener"],
  ["EDS", "endpoint"],
  ["RDS", "route"],
  ["ECDS", "extensionconfig"],
];

/** The heading of the table of proxies. */
export const SYNC_HEAD: readonly string[] = [
  "NAME",
  "CLUSTER",
  ...TYPES.map(([column]) => column),
  "MESHD",
  "VERSION",
];

/**
 * A proxy as a row of the table. A type that it does not subscribe to is `IGNORED`; those of a proxy
 * whose Envoy exited are `EXITED`.
 *
 * @param daemon name of the daemon that serves it
 */
export function syncCells(row: SyncRow, daemon: string): string[] {
  const states = TYPES.map(([, field]) => {
    if (row.exited_age !== undefined) return `EXITED (${ageText(row.exited_age)})`;
    const state = row[`${field}_error`] === undefined
      ? row[`${field}_status`] ?? "IGNORED"
      : "ERROR";
    const age = row[`${field}_age`];
    return age === undefined ? state : `${state} (${ageText(age)})`;
  });
  return [row.proxy, row.cluster_id ?? "", ...states, daemon, row.proxy_version ?? ""];
}

/** An age in its largest unit, such as `5s`, `3m`, `2h` or `4d`. */
export function ageText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** Messages about a proxy: rejected types with the proxy's reason, and the daemon's warning. */
export function syncProblems(row: SyncRow): string[] {
  const rejected = TYPES.flatMap(([column, field]) => {
    const reason = row[`${field}_error`];
    return reason === undefined ? [] : [`${row.proxy} rejects ${column}: ${reason}`];
  });
  return row.warning === undefined ? rejected : [...rejected, `${row.proxy}: ${row.warning}`];
}
