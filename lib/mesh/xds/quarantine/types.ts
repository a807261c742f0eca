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

/** A name of which a version is withheld from proxies that rejected it. */
export interface Rejected {
  readonly classKey: string;
  readonly typeUrl: string;
  readonly name: string;
  /** The versions rejected, oldest first. */
  readonly versions: readonly string[];
  /** Message of the last rejection. */
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The version that most of the proxies have instead; `undefined` if none was ever accepted. */
  readonly lastGood: Resource | undefined;
  /** Connected streams that rejected it, and from which it is withheld. */
  readonly streams: readonly string[];
  /** Their identities, sorted: SPIFFE ids; address and node id of clients without one. */
  readonly rejectedBy: readonly string[];
  /** Configuration objects it comes from, the likeliest first. */
  readonly culprits: readonly Culprit[];
  /**
   * Number of retries of the last version, and time of the next one, milliseconds since the epoch.
   */
  readonly tries: number;
  readonly retryAt: number;
}

/** The same, with the proxies that contradict. */
export interface Quarantined extends Rejected {
  /** Clients of the class that are connected and accepted the last version, sorted; 64 at most. */
  readonly acceptedBy: readonly string[];
  /** Those of `rejectedBy` that are contradicted: at least as many identities accepted the version. */
  readonly outvoted: readonly string[];
}

/** The parts of a stream that the quarantine needs. */
export interface Stream {
  readonly id: string;
  readonly binding: { readonly classKey: string };
  readonly node: { readonly id: string; readonly identity?: string };
  readonly call: { readonly peer: string };
}

/** A version that was served before, and the identities of proxies that kept it. */
export interface KeptVersion {
  readonly resource: Resource;
  readonly identities: Set<string>;
}

/** A name with rejected versions, for the proxies of a class. */
export interface Entry {
  readonly classKey: string;
  readonly typeUrl: string;
  readonly name: string;
  readonly since: number;
  versions: string[];
  message: string;
  culprits: readonly Culprit[];
  tries: number;
  retryAt: number;
  /** A retry was accepted: the others follow without a pause. */
  isEased: boolean;
  /** Versions before; the one that was kept last is the last. */
  kept: KeptVersion[];
  /** Proved identities that rejected one of the versions, connected or not. */
  readonly identities: Set<string>;
  readonly holders: Map<Stream, Held>;
  /** When its last holder left; milliseconds since the epoch. */
  leftAt: number;
}

/** The rejected versions of one stream and name. They do not count for other streams. */
export interface Held {
  readonly entry: Entry;
  /** Versions that the stream rejected, oldest first. */
  readonly versions: string[];
  /** The client's version before. */
  before: Resource | undefined;
  /** Names rejected together with it, because it is not known which of them is invalid. */
  together: readonly string[];
  tries: number;
  /** It is being sent the last of the versions again. */
  isTrial: boolean;
}

/** A rejected resource. */
export interface Rejection {
  readonly stream: Stream;
  readonly typeUrl: string;
  readonly resource: Resource;
  /** The client's version before. */
  readonly before: Resource | undefined;
  readonly message: string;
  readonly culprits: readonly Culprit[];
  /** Names rejected with it, if it is not known which of them is invalid. */
  readonly together: readonly string[];
}

/** The quarantined resources. */
export interface Quarantine {
  readonly size: number;
  /** Returns the filter of a stream for one type; `undefined` if nothing is withheld from it. */
  screen(stream: Stream, typeUrl: string): QuarantineFilter | undefined;
  /** Withholds a resource from the stream; returns its replacement, if there is one. */
  reject(rejection: Rejection): Resource | undefined;
  /** Reports if something of a type is withheld from a stream. */
  rejectedBy(stream: Stream, typeUrl: string): boolean;
  /** Selects the resources that proved identities rejected in the same version. */
  suspects(stream: Stream, typeUrl: string, resources: readonly Resource[]): readonly Resource[];
  /** A client accepted resources. */
  accept(stream: Stream, typeUrl: string, resources: readonly Resource[]): void;
  /**
   * Compares with the resources that are served to a stream now: what was removed is withheld no
   * longer. Returns names that may be sent to the stream again, because the cause may have changed.
   */
  review(
    stream: Stream,
    typeUrl: string,
    versionOf: (name: string) => string | undefined,
  ): readonly string[];
  /** Returns the entries that are due for a retry, those of clients with few records first. */
  due(): readonly Entry[];
  /** Time of the next retry; `undefined` if nothing is quarantined. */
  readonly next: number | undefined;
  /** Lets streams have the resource once more, or none, and sets the next time. */
  tryAgain(entry: Entry, streams: readonly Stream[]): void;
  /** A stream ended. */
  leave(stream: Stream): void;
  /** Everything may be sent again. */
  clear(): void;
  list(): Rejected[];
}

/** The versions that are withheld from one stream. */
export interface QuarantineFilter {
  /** Returns the replacement of a version if it is withheld from the stream. */
  holds(resource: Resource): { readonly instead: Resource | undefined } | undefined;
}
