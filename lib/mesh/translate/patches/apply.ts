/**
 * Applies changes to encoded resources. A change that throws, or that breaks a constraint of Envoy's
 * messages, is left out of the resource and reported; all others apply.
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
} from "../../../kit/proto/mod.ts";
import { encodeResource } from "../resources/mod.ts";

/** The result of a change for a resource. */
export interface ChangeResult {
  readonly change: Change;
  /** The reason why it does not apply to the resource; absent: it does. */
  readonly fault?: string;
}

/** Takes the results of changes that match a resource. */
export type ReportChange = (result: ChangeResult, resource: string) => void;

/** The changed resource; `undefined` where it is removed; the same object where no change matches it. */
export function changedResource(
  resource: Resource,
  type: PatchedType,
  { list, role }: Changes,
  report: ReportChange,
): Resource | undefined {
  const { schema, apply } = EDITORS[type];
  const message = fromBinary(schema, resource.bytes);
  const results: ChangeResult[] = [];
  try {
    for (const change of list) {
      const done = apply(message, change, role);
      if (done !== "nothing") results.push({ change });
      if (done === "removed") return reported(results, resource, report, undefined);
    }
    if (results.length === 0) return resource;
    const encoded = encodeResource(resource.name, schema, message);
    if (faultOf(schema, message, resource) === undefined) {
      return reported(results, resource, report, encoded);
    }
  } catch {
    // oneByOne finds the change at fault.
  }
  return oneByOne(resource, EDITORS[type], { list, role }, report);
}

function reported(
  results: readonly ChangeResult[],
  { name }: Resource,
  report: ReportChange,
  result: Resource | undefined,
): Resource | undefined {
  for (const one of results) report(one, name);
  return result;
}

/** Applies each change to a copy, which is dropped if the change is invalid. */
function oneByOne(
  resource: Resource,
  { schema, apply }: Editor<DescMessage>,
  { list, role }: Pick<Changes, "list" | "role">,
  report: ReportChange,
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
      report({ change }, resource.name);
      if (done === "removed") return undefined;
      message = trial;
    } catch (error) {
      const fault = error instanceof Error ? error.message : `${error}`;
      report({ change, fault }, resource.name);
    }
  }
  return encodeResource(resource.name, schema, message);
}

/** The constraint that a changed resource violates and the original did not. */
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

/** Resources that changes add, each changed by the changes after it. The last one of a name wins. */
export function addedResources(
  type: PatchedType,
  changes: Changes,
  report: ReportChange,
): Resource[] {
  const { schema } = EDITORS[type];
  const added = new Map<string, Resource>();
  changes.list.forEach((change, index) => {
    const message = additionOf(type, change);
    if (message === undefined) return;
    const name = (message as unknown as { readonly name: string }).name;
    const fault = name === "" ? "it has no name" : faultOfNew(schema, message);
    report({ change, ...(fault === undefined ? {} : { fault }) }, name);
    if (fault !== undefined) return;
    const rest = { ...changes, list: changes.list.slice(index + 1) };
    const resource = changedResource(encodeResource(name, schema, message), type, rest, report);
    if (resource === undefined) added.delete(name);
    else added.set(name, resource);
  });
  return [...added.values()];
}

function faultOfNew(schema: DescMessage, message: MessageShape<DescMessage>): string | undefined {
  const found = violationOf(schema, message);
  return found && `${found.path} ${found.message}`.trim();
}
