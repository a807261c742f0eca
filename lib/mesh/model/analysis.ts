/**
 * The part of an analysis message that other rooms need: statuses of objects name it.
 *
 * @module
 */
import type { ObjectIdentity } from "../schema/mod.ts";

/** Severity of a message. */
export type MessageLevel = "Error" | "Warning" | "Info";

/** A message without its text. */
export interface MessageSummary {
  /** `MSH0101` */
  readonly code: string;
  /** `ReferencedResourceNotFound` */
  readonly name: string;
  readonly level: MessageLevel;
  /** The object that it is about, if it is about one. */
  readonly object?: ObjectIdentity;
}
