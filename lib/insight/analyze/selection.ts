/**
 * Selection of messages: thresholds, namespaces and suppressions.
 *
 * @module
 */
import { objectKey } from "../../mesh/model/mod.ts";
import type { ObjectIdentity, SeenDocument } from "../../mesh/schema/mod.ts";
import { CODES, type Level } from "./codes.ts";
import type { Message } from "./message.ts";
import { plainDocument } from "./plain.ts";

/** The annotation with the codes of messages that an object does not want. */
const SUPPRESS_ANNOTATION = "galley.mesh.io/analyze-suppress";

/** Levels, the least severe first. */
export const LEVELS: readonly Level[] = ["Info", "Warning", "Error"];

/** True when a level is as severe as another one. */
export function isAtLeast(level: Level, threshold: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(threshold);
}

/** A suppression: a code and a pattern of an object. */
export interface Suppression {
  readonly code: string;
  /** Matches `Kind name.namespace` and `Kind namespace/name`. */
  readonly pattern: RegExp;
}

/** Parses `CODE=Kind name.namespace`, with `*` as wildcard; returns the error as a sentence. */
export function parseSuppression(text: string): Suppression | string {
  const equals = text.indexOf("=");
  const [code, object] = [text.slice(0, Math.max(equals, 0)), text.slice(equals + 1)];
  if (equals < 0 || object === "") {
    return `"${text}" is no suppression; write it as CODE=KIND NAME.NAMESPACE`;
  }
  if (!(code in CODES)) return `"${code}" is no code of an analysis message`;
  const source = object.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  return { code, pattern: new RegExp(`^${source.join(".*")}$`) };
}

/** The codes that objects do not want, by annotation. */
export function annotatedSuppressions(
  seen: readonly SeenDocument[],
  namespace?: string,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const one of seen) {
    const document = plainDocument(one, namespace);
    const written = document?.annotations[SUPPRESS_ANNOTATION];
    if (document === undefined || written === undefined) continue;
    found.set(idOf(document), written.split(",").map((code) => code.trim()));
  }
  return found;
}

/** The messages to leave out. */
export interface Selection {
  readonly suppressions: readonly Suppression[];
  readonly annotated: ReadonlyMap<string, readonly string[]>;
  /**
   * Only messages about objects of these namespaces, the namespaces themselves, and other objects
   * without one.
   */
  readonly namespaces?: readonly string[];
}

/** The messages that are left. */
export function selectMessages(
  messages: readonly Message[],
  { suppressions, annotated, namespaces }: Selection,
): Message[] {
  return messages.filter(({ code, object }) => {
    if (object === undefined) return true;
    if (namespaces !== undefined && !["", ...namespaces].includes(placeOf(object))) return false;
    const own = annotated.get(idOf(object)) ?? [];
    return !own.includes("*") && !own.includes(code) &&
      !suppressions.some((one) => one.code === code && isMeant(one, object));
  });
}

/** The namespace of an object; that of a namespace is itself. */
function placeOf({ kind, namespace, name }: ObjectIdentity): string {
  return kind === "Namespace" ? name : namespace;
}

function isMeant({ pattern }: Suppression, object: ObjectIdentity): boolean {
  const { kind, namespace, name } = object;
  const forms = namespace === "" ? [name] : [`${name}.${namespace}`, objectKey(object), name];
  return forms.some((form) => pattern.test(`${kind} ${form}`));
}

function idOf({ kind, namespace, name }: ObjectIdentity): string {
  return JSON.stringify([kind, namespace, name]);
}
