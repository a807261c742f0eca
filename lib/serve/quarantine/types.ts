/**
 * Types of the quarantine.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";

/** A configuration object that a rejected resource comes from. */
export interface Culprit {
  /** `kind/namespace/name`. */
  readonly object: string;
  /** Generation at the rejection; `undefined` for objects without generation. */
  readonly generation: number | undefined;
}

/** A name of which a version was rejected. */
export interface Quarantined {
  readonly classKey: string;
  readonly typeUrl: string;
  readonly name: string;
  /** The versions rejected, oldest first. */
  readonly versions: readonly string[];
  /** Message of the last rejection. */
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The version that proxies of the class have instead; `undefined` if none was ever accepted. */
  readonly lastGood: Resource | undefined;
  /** ViewSnapshot from all proxies of the class, or only from the streams that rejected it. */
  readonly from: "class" | "stream";
  /** Streams that rejected it and are connected. */
  readonly streams: readonly string[];
  /** Configuration objects it comes from, the likeliest first. */
  readonly culprits: readonly Culprit[];
  /**
   * Number of retries of the last version, and time of the next one, milliseconds since the epoch.
   */
  readonly tries: number;
  readonly retryAt: number;
}

/** The parts of a stream that the quarantine needs. */
export interface Stream {
  readonly id: string;
  readonly binding: { readonly classKey: string };
}

/** Stored state of a name with a rejected version. */
export interface Entry extends Omit<Quarantined, "streams"> {
  versions: string[];
  message: string;
  lastGood: Resource | undefined;
  from: "class" | "stream";
  culprits: readonly Culprit[];
  tries: number;
  retryAt: number;
  /** A stream that is being sent the last of the versions again. */
  trial: Stream | undefined;
  readonly streams: Set<Stream>;
  /** Names quarantined together with it, because it is not known which of them is invalid. */
  together: readonly string[];
}

/** A rejected resource. */
export interface Rejection {
  readonly stream: Stream;
  readonly typeUrl: string;
  readonly resource: Resource;
  /** The client's version before. */
  readonly before: Resource | undefined;
  readonly message: string;
  readonly from: "class" | "stream";
  readonly culprits: readonly Culprit[];
  /** Names rejected with it, if it is not known which of them is invalid. */
  readonly together: readonly string[];
}

/** The quarantined resources. */
export interface Quarantine {
  readonly size: number;
  /** Returns the filter of a stream for one type; `undefined` if nothing is quarantined. */
  screen(stream: Stream, typeUrl: string): QuarantineFilter | undefined;
  /** Quarantines a resource; returns its replacement, if there is one. */
  reject(rejection: Rejection): Resource | undefined;
  /** Reports if a stream rejected a resource of a type that is still quarantined. */
  rejectedBy(stream: Stream, typeUrl: string): boolean;
  /** A client accepted resources; returns names that others of its class may be sent now. */
  accept(stream: Stream, typeUrl: string, resources: readonly Resource[]): readonly string[];
  /**
   * Compares with the resources that are served to a stream's class now: entries of removed
   * resources are deleted. Returns names that may be sent again, because the cause may have
   * changed.
   */
  review(
    stream: Stream,
    typeUrl: string,
    versionOf: (name: string) => string | undefined,
  ): readonly string[];
  /** Returns the entries that are due for a retry. */
  due(): readonly Entry[];
  /** Time of the next retry; `undefined` if nothing is quarantined. */
  readonly next: number | undefined;
  /** Lets one stream have the resource once more, or none, and sets the next time. */
  tryAgain(entry: Entry, stream: Stream | undefined): void;
  /** A stream ended. */
  leave(stream: Stream): void;
  /** Everything may be sent again. */
  clear(): void;
  list(): Quarantined[];
}

/** The quarantined versions of one stream. */
export interface QuarantineFilter {
  /** Returns the replacement of a version if it is quarantined for the stream. */
  holds(resource: Resource): { readonly instead: Resource | undefined } | undefined;
}
