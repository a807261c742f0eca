/**
 * A thing that is wrong, as the overview shows it.
 *
 * @module
 */
import type { SourceProblem } from "../../mesh/sources/mod.ts";

/** An edit behind a trouble. */
export interface Culprit {
  /** `Kind/namespace/name`. */
  readonly object: string;
  readonly generation?: number;
  /** When this generation was published, milliseconds since the epoch, if a receipt has it. */
  readonly publishedAt?: number;
}

/** One thing that is wrong. */
export interface Trouble {
  /** `bad`: something is not served as it is configured. `warn`: it may end by itself. */
  readonly tone: "bad" | "warn";
  /** One sentence without a full stop. */
  readonly text: string;
  /** Message of a proxy or of a computation. */
  readonly message?: string;
  readonly remedy?: string;
  /** Milliseconds since the epoch. */
  readonly since: number | undefined;
  readonly position?: Pick<SourceProblem, "file" | "line" | "column">;
  readonly culprits: readonly Culprit[];
  /** Revision that began it, or that is not acknowledged, if the history has it. */
  readonly revision?: number;
  /** Proxies concerned; empty if none is, unset if they are not known. */
  readonly proxies?: readonly string[];
  /** Page with more about it. */
  readonly page: string;
}
