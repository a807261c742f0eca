/**
 * What is known of resources that proxies rejected.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";

/** A configuration object that a rejected resource comes from. */
export interface Culprit {
  /** `kind/namespace/name`. */
  readonly object: string;
  /** As of the rejection; `undefined` for what counts none. */
  readonly generation: number | undefined;
}

/** A name of which a version was rejected. */
export interface Quarantined {
  readonly classKey: string;
  readonly typeUrl: string;
  readonly name: string;
  /** The versions rejected, oldest first. */
  readonly versions: readonly string[];
  /** What the proxy said to the last of them. */
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** What proxies of the class have in its place; `undefined` when none was ever accepted. */
  readonly lastGood: Resource | undefined;
  /** ViewSnapshot from all proxies of the class, or only from the streams that rejected it. */
  readonly from: "class" | "stream";
  /** Streams that rejected it and are connected. */
  readonly streams: readonly string[];
  /** Configuration objects it comes from, the likeliest first. */
  readonly culprits: readonly Culprit[];
  /** How often the last of the versions was tried again, and when it is next; milliseconds since the epoch. */
  readonly tries: number;
  readonly retryAt: number;
}

/** A stream, as far as this goes. */
export interface Stream {
  readonly id: string;
  readonly binding: { readonly classKey: string };
}

/** A name of which a version was rejected, as it is kept. */
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
  /** Names quarantined together with it, because it is not known which of them is rejected. */
  together: readonly string[];
}

/** A rejected resource. */
export interface Rejection {
  readonly stream: Stream;
  readonly typeUrl: string;
  readonly resource: Resource;
  /** What the client held before. */
  readonly before: Resource | undefined;
  readonly message: string;
  readonly from: "class" | "stream";
  readonly culprits: readonly Culprit[];
  /** Names rejected with it, when it is not known which of them is the reason. */
  readonly together: readonly string[];
}

/** The quarantined resources. */
export interface Quarantine {
  readonly size: number;
  /** Finds what is kept from a stream, of one type; `undefined` when nothing is. */
  screen(stream: Stream, typeUrl: string): QuarantineFilter | undefined;
  /** Holds a resource back; returns what is sent in its place, if anything is. */
  reject(rejection: Rejection): Resource | undefined;
  /** Whether a stream rejected a resource of a type that is still quarantined. */
  rejectedBy(stream: Stream, typeUrl: string): boolean;
  /** A client accepted resources; returns names that others of its class may be sent now. */
  accept(stream: Stream, typeUrl: string, resources: readonly Resource[]): readonly string[];
  /**
   * Compares with what is served to a stream's class now: what is gone is forgotten. Returns names
   * that may be sent again, because the reason may have been one that changed.
   */
  review(
    stream: Stream,
    typeUrl: string,
    versionOf: (name: string) => string | undefined,
  ): readonly string[];
  /** What is to be tried again by now. */
  due(): readonly Entry[];
  /** When a resource is sent again next; `undefined` when none is quarantined. */
  readonly next: number | undefined;
  /** Lets one stream have the resource once more, or none, and sets the next time. */
  tryAgain(entry: Entry, stream: Stream | undefined): void;
  /** A stream ended. */
  leave(stream: Stream): void;
  /** Everything may be sent again. */
  clear(): void;
  list(): Quarantined[];
}

/** What is kept from one stream. */
export interface QuarantineFilter {
  /** Whether a version is kept from the stream; with what is sent in its place, if anything is. */
  holds(resource: Resource): { readonly instead: Resource | undefined } | undefined;
}
