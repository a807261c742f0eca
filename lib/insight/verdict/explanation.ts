/**
 * An explained request: its steps, outcomes, and what is not known. Plain data.
 *
 * @module
 */
import type { AccessTrace, Call, Stage, TokenTrace } from "../simulate/mod.ts";

/** The way through one proxy. */
export interface Hop {
  /** `NAME.NAMESPACE`. */
  readonly proxy: string;
  readonly direction: Call["direction"] | "waypoint" | "between networks";
  /** Destination of the connection, `ip:port`; at a gateway between networks the service, `host:port`. */
  readonly destination: string;
  readonly steps: readonly ExplainedStep[];
}

/** An explained request. Plain data, ready for JSON; credentials are not part of it. */
export interface Explanation {
  readonly hops: readonly Hop[];
  /** At least one; shares add up to 1. */
  readonly outcomes: readonly Outcome[];
  /** Facts that the explanation assumes and that do not change the outcome. */
  readonly assumptions: readonly string[];
  /** Unknown facts that could change the outcome. */
  readonly doubts: readonly Doubt[];
  /** Parts of the configuration that are not modelled and could change the outcome. */
  readonly unmodelled: readonly string[];
  /** Objects that had a part in the resources on the way, `Kind/namespace/name`. */
  readonly objects: readonly string[];
  /** Addresses of endpoints whose proxies, if they have any, are connected elsewhere. */
  readonly elsewhere: readonly string[];
}

/** Something that is not known and could change an outcome. */
export interface Doubt {
  readonly what: string;
  /** An action that makes it known. */
  readonly remedy?: string;
}

/** Name of a step: a stage of the simulator, or one of its filters that has a name of its own. */
export type StepName =
  | Exclude<Stage, "TLS">
  | "mutual TLS"
  | "tokens"
  | "access"
  /** Steps of node proxies: the way that a connection takes, and the end of a tunnel. */
  | "destination"
  | "tunnel";

/** An object, or another source, behind a step. */
export interface Cause {
  readonly source: "object" | "mesh" | "environment" | "proxy" | "built-in";
  /** `Kind/namespace/name`, of an object. */
  readonly object?: string;
  /** The objects of the Gateway API that the object was made of, and their listener. */
  readonly writtenIn?: readonly string[];
  /** The field of that source, for example `spec.http[0].match[0]`. */
  readonly field?: string;
  /** `file:line` of the object. */
  readonly position?: string;
  /** The thing that it decides, for example `rule`. */
  readonly decides: string;
}

export interface ExplainedStep {
  readonly step: StepName;
  /** The resource, filter, route or policy. */
  readonly name: string;
  /** The decision and its reason. */
  readonly why: string;
  readonly causes: readonly Cause[];
  /** The clauses behind an access decision. */
  readonly access?: AccessTrace;
  /** The comparison of the token with each issuer. */
  readonly token?: TokenTrace;
}

/** One possible outcome. */
export interface Outcome {
  /** Share of calls: 0 to 1. */
  readonly share: number;
  /**
   * `reached`: the workload or endpoint is reached; `answered`: a proxy answers, for example with a
   * redirect; `refused`: a proxy refuses it; `unknown`: it depends on something that is not modelled.
   */
  readonly kind: "reached" | "answered" | "refused" | "unknown";
  /** The last proxy. */
  readonly proxy: string;
  /** The outcome as a sentence without a full stop. */
  readonly text: string;
  /** An action that makes an unknown outcome known. */
  readonly remedy?: string;
  /** HTTP status, if a proxy answers. */
  readonly status?: number;
  readonly cluster?: string;
  /** Protocol in which a proxy forwards. */
  readonly as?: "HTTP" | "TCP";
  /** Addresses of the endpoints. */
  readonly endpoints?: readonly string[];
  readonly refusal?: Refusal;
}

export interface Refusal {
  /** The filter, policy, route, cluster or listener that refuses. */
  readonly by: string;
  readonly why: string;
  readonly causes: readonly Cause[];
}
