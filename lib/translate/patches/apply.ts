/**
 * Applying changes to encoded resources, so that a bad one stays by itself: what
 * throws, or breaks a constraint that Envoy declares, is left out of the resource
 * and named, and everything else applies.
 *
 * @module
 */
import {
  additionOf,
  type Change,
  type Changes,
  type Editor,
  EDITORS,
  type PatchedType,
} from "../../envoy/mod.ts";
import type { Resource } from "../../graph/mod.ts";
import {
  clone,
  type DescMessage,
  fromBinary,
  type MessageShape,
  violationOf,
} from "../../proto/mod.ts";
import { encodeResource } from "../resources/mod.ts";

/** What came of a change for a resource. */
export interface Note {
  readonly change: Change;
  /** Why it does not apply to the resource; absent: it does. */
  readonly fault?: string;
}

/** Hears of changes that concerned a resource. */
export type Hear = (note: Note, resource: string) => void;

/** Changes a resource; `undefined` when it is taken away. The very same when nothing concerned it. */
export function changedResource(
  resource: Resource,
  type: PatchedType,
  { list, role }: Changes,
  hear: Hear,
): Resource | undefined {
  const { schema, apply } = EDITORS[type];
  const message = fromBinary(schema, resource.bytes);
  const notes: Note[] = [];
  try {
    for (const change of list) {
      const done = apply(message, change, role);
      if (done !== "nothing") notes.push({ change });
      if (done === "removed") return tell(notes, resource, hear, undefined);
    }
    if (notes.length === 0) return resource;
    const encoded = encodeResource(resource.name, schema, message);
    if (faultOf(schema, message, resource) === undefined) {
      return tell(notes, resource, hear, encoded);
    }
  } catch {
    // Which change it was is found out below.
  }
  return oneByOne(resource, EDITORS[type], { list, role }, hear);
}

function tell(
  notes: readonly Note[],
  { name }: Resource,
  hear: Hear,
  result: Resource | undefined,
): Resource | undefined {
  for (const note of notes) hear(note, name);
  return result;
}

/** Each change by itself, on a copy that is thrown away if the change is bad. */
function oneByOne(
  resource: Resource,
  { schema, apply }: Editor<DescMessage>,
  { list, role }: Pick<Changes, "list" | "role">,
  hear: Hear,
): Resource | undefined {
  let message = fromBinary(schema, resource.bytes);
  for (const change of list) {
    const trial = clone(schema, message);
    try {
      const done = apply(trial, change, role);
      if (done === "nothing") continue;
      const fault = done === "removed" ? undefined : faultOf(schema, trial, resource);
      if (fault !== undefined) throw new TypeError(fault);
      encodeResource(resource.name, schema, trial);
      hear({ change }, resource.name);
      if (done === "removed") return undefined;
      message = trial;
    } catch (error) {
      const fault = error instanceof Error ? error.message : `${error}`;
      hear({ change, fault }, resource.name);
    }
  }
  return encodeResource(resource.name, schema, message);
}

/** What makes a resource invalid that was not so before. */
function faultOf(
  schema: DescMessage,
  message: MessageShape<DescMessage>,
  { bytes }: Resource,
): string | undefined {
  const found = violationOf(schema, message);
  if (found === undefined) return undefined;
  const before = violationOf(schema, fromBinary(schema, bytes));
  if (before !== undefined) return undefined;
  return `${found.path} ${found.message}`.trim();
}

/** Resources that changes add, each changed by those that come behind. Of one name the last is. */
export function addedResources(type: PatchedType, changes: Changes, hear: Hear): Resource[] {
  const { schema } = EDITORS[type];
  const added = new Map<string, Resource>();
  changes.list.forEach((change, index) => {
    const message = additionOf(type, change);
    if (message === undefined) return;
    const name = (message as unknown as { readonly name: string }).name;
    const fault = name === "" ? "it has no name" : faultOfNew(schema, message);
    hear({ change, ...(fault === undefined ? {} : { fault }) }, name);
    if (fault !== undefined) return;
    const rest = { ...changes, list: changes.list.slice(index + 1) };
    const resource = changedResource(encodeResource(name, schema, message), type, rest, hear);
    if (resource === undefined) added.delete(name);
    else added.set(name, resource);
  });
  return [...added.values()];
}

function faultOfNew(schema: DescMessage, message: MessageShape<DescMessage>): string | undefined {
  const found = violationOf(schema, message);
  return found && `${found.path} ${found.message}`.trim();
}
