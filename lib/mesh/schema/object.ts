/**
 * Reads one object from a plain value: from YAML, JSON or an admission request.
 *
 * @module
 */
import { allSteps } from "../../kit/base/mod.ts";
import { type Message, SERVED_TYPES } from "../../kit/proto/mod.ts";
import { nearest } from "../../kit/text/mod.ts";
import { digestInSteps } from "./digest.ts";
import { ineffectiveCheck, type WarnIneffective } from "./effective.ts";
import { type Kind, writtenKind } from "./kind.ts";
import { findKind, isSupported, KINDS } from "./kinds.ts";
import { UNSUPPORTED_KINDS } from "./unsupported_kinds.ts";
import { newNames } from "./renamed.ts";
import { checkTopLevel, DEFAULT_NAMESPACE, type Metadata, readMetadata } from "./metadata.ts";
import {
  type Finding,
  formatPath,
  newReport,
  type ObjectIdentity,
  type Report,
} from "./problem.ts";
import { describe, isMap, readMessage, readMessageInSteps } from "./read/mod.ts";

/** A valid object. */
export interface ParsedObject<T = Message> {
  readonly kind: string;
  readonly meta: Metadata & {
    /** 1-based line of the document's first key. */
    readonly line: number;
  };
  readonly spec: T;
  /**
   * Hash over the specification's bytes, labels and annotations: equal digests mean equal objects.
   */
  readonly digest: string;
}

/** Options of reading objects. */
export interface ReadOptions {
  /** Default namespace; `default` if it is unset. */
  readonly namespace?: string;
  /**
   * Called for an object of another API group whose kind has no name of the mesh's, such as a
   * workload. It is ignored; the function may add warnings. Default: a warning that it is ignored.
   */
  readonly foreign?: (value: Readonly<Record<string, unknown>>, report: Report) => void;
}

/** Result of reading one value: its identity, and the object unless it is invalid or foreign. */
export interface ReadResult {
  readonly identity?: ObjectIdentity;
  readonly object?: ParsedObject;
  /** The readable part of a rejected object, for analysis only. */
  readonly draft?: ParsedObject;
}

/** A problem or warning of an object that is not in a file. */
export type ObjectProblem = Omit<Finding, "path" | "target"> & {
  /** For example `spec.http[0].route[1].weight`. */
  readonly path: string;
};

/** Result of checking one value. */
export interface CheckedObject extends ReadResult {
  readonly problems: readonly ObjectProblem[];
  readonly warnings: readonly ObjectProblem[];
}

/**
 * Values in one object: about as many as a document of a file may have. Reading more takes longer than
 * the daemon may stand still.
 */
const MAX_VALUES = 60_000;

/** Reads, defaults and checks one plain value, for example of an admission request. Pure. */
export function checkObject(value: unknown, options: ReadOptions = {}): CheckedObject {
  return allSteps(checkObjectInSteps(value, options));
}

/** {@linkcode checkObject} in steps, of which a large object takes tens of milliseconds each. */
export function* checkObjectInSteps(
  value: unknown,
  options: ReadOptions = {},
): Generator<void, CheckedObject> {
  const report = newReport("errors", SERVED_TYPES);
  const { identity, object } = isMap(value) && hasMoreValues(value, MAX_VALUES)
    ? tooLarge(value, report, options)
    : yield* readObjectInSteps(value, 1, report, options);
  const toProblem = ({ path, code, message, remedy }: Finding): ObjectProblem => ({
    path: formatPath(path),
    code,
    message,
    remedy,
  });
  return {
    identity,
    object: report.errors.length === 0 ? object : undefined,
    problems: report.errors.map(toProblem),
    warnings: report.warnings.map(toProblem),
  };
}

function tooLarge(
  value: Record<string, unknown>,
  report: Report,
  options: ReadOptions,
): ReadResult {
  const message = `the object has more than ${MAX_VALUES} values`;
  report.fail([], "too-large", message, "Divide it into several objects.");
  return { identity: guessIdentity(value, options) };
}

/** Counts the values of a structure, up to a number. */
function hasMoreValues(structure: unknown, most: number): boolean {
  const left = [structure];
  for (let count = 0; left.length > 0; count++) {
    if (count + left.length > most) return true;
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    for (const one of Array.isArray(next) ? next : Object.values(next)) left.push(one);
  }
  return false;
}

/**
 * True for an object of another API group. A kind with a name of the mesh's is not foreign: its
 * group is wrong.
 */
function isForeign(value: Record<string, unknown>): boolean {
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return false;
  if ([...KINDS, ...UNSUPPORTED_KINDS].some((one) => writtenKind(one) === kind)) return false;
  const group = groupOf(apiVersion)[0];
  return !group.endsWith(".mesh.io") && group !== "mesh.io";
}

/** True for a kind of the orchestrator's API groups that Mesh knows and does not implement. */
function isUnimplemented({ apiVersion, kind }: Readonly<Record<string, unknown>>): boolean {
  if (typeof apiVersion !== "string") return false;
  const group = groupOf(apiVersion)[0];
  return !group.endsWith("mesh.io") &&
    UNSUPPORTED_KINDS.some((one) => one.kind === kind && one.group === group);
}

/** Reports an object of a group that has another name here; false for every other object. */
function failRenamed(value: Readonly<Record<string, unknown>>, report: Report): boolean {
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return false;
  const [group] = groupOf(apiVersion);
  const names = newNames(group, kind);
  if (names === undefined) return false;
  const of = names.kind === kind ? "" : `, ${kind} is ${names.kind}`;
  const remedy = names.apiVersion === undefined
    ? `Remove the object: ${names.group} has no kind ${names.kind}.`
    : `Write apiVersion: ${names.apiVersion} and kind: ${names.kind}; names in fields and labels ` +
      "are other ones, too (docs/from-istio.md).";
  report.fail(["apiVersion"], "renamed", `renamed: ${names.group}${of}`, remedy);
  return true;
}

function warnUnimplemented(
  { apiVersion, kind }: Readonly<Record<string, unknown>>,
  report: Report,
) {
  const message = `${kind} of ${apiVersion} is not implemented, and the object is ignored`;
  const remedy = "Remove the object, or expect no effect from it.";
  report.warnValue(["kind"], "unsupported-kind", message, remedy);
}

function warnForeign({ apiVersion, kind }: Readonly<Record<string, unknown>>, report: Report) {
  const message = `${kind} of ${apiVersion} is not configuration of the mesh and is ignored`;
  report.warnValue(["kind"], "ignored-kind", message, "Remove it, or apply it where it belongs.");
}

function groupOf(apiVersion: string): [group: string, version: string] {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}

/**
 * Reads one value and records its problems; `line` is the first line of its document. The steps are
 * reading, checking, and what the checks do not need.
 */
export function* readObjectInSteps(
  value: unknown,
  line: number,
  report: Report,
  options: ReadOptions = {},
): Generator<void, ReadResult> {
  if (!isMap(value)) {
    const message = `expected an object, found ${describe(value)}`;
    report.fail([], "wrong-type", message, "Begin with apiVersion, kind, metadata and spec.");
    return {};
  }
  if (failRenamed(value, report)) return { identity: guessIdentity(value, options) };
  if (isForeign(value)) {
    (options.foreign ?? warnForeign)(value, report);
    return { identity: guessIdentity(value, options) };
  }
  if (isUnimplemented(value)) {
    warnUnimplemented(value, report);
    return { identity: guessIdentity(value, options) };
  }
  const kind = readKind(value, report);
  if (kind === undefined) return { identity: guessIdentity(value, options) };
  checkTopLevel(value, report);
  const inCluster = kind.scope === "cluster";
  const read = readMetadata(value.metadata, report, inCluster ? "" : options.namespace);
  const meta = inCluster ? { ...read, namespace: "" } : read;
  const nowhere = meta.namespace === "" && !inCluster;
  const identity = meta.name === "" || nowhere
    ? undefined
    : { kind: kind.kind, namespace: meta.namespace, name: meta.name };
  kind.checkAnnotations?.(meta.annotations, report);
  const spec = yield* readSpec(kind, value.spec, identity, report);
  if (spec === undefined) return { identity };
  const found = { kind: kind.kind, meta: { ...meta, line }, spec };
  if (report.errors.length > 0) {
    return identity === undefined ? {} : { identity, draft: { ...found, digest: "" } };
  }
  yield;
  const digest = yield* digestInSteps(kind.schema, spec, meta);
  return { identity, object: { ...found, digest } };
}

function readKind(value: Record<string, unknown>, report: Report): Kind | undefined {
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    const missing = typeof apiVersion !== "string" ? "apiVersion" : "kind";
    const message = value[missing] === undefined
      ? `${missing} is missing`
      : `${missing} must be a string`;
    const example = missing === "kind" ? "ServiceEntry" : "networking.mesh.io/v1";
    report.fail([missing], "required", message, `Write, for example, ${missing}: ${example}.`);
    return undefined;
  }
  const [group, version] = groupOf(apiVersion);
  const found = findKind(group, kind);
  if (found === undefined) {
    unknownKind(apiVersion, kind, report);
    return undefined;
  }
  if (!isSupported(found)) {
    const message = `kind ${kind} of ${group} is not supported`;
    report.fail(
      ["kind"],
      "unsupported-kind",
      message,
      "Remove the object, or expect no effect from it.",
    );
    return undefined;
  }
  if (!found.versions.includes(version)) {
    const message = `${kind} has no version "${version}"`;
    report.fail(
      ["apiVersion"],
      "unknown-version",
      message,
      `Use one of: ${found.versions.join(", ")}.`,
    );
  }
  return found;
}

function unknownKind(apiVersion: string, kind: string, report: Report): void {
  const names = KINDS.map((one) => one.kind);
  const meant = nearest(kind, [...names, ...UNSUPPORTED_KINDS.map((one) => one.kind)]);
  const groups = [...KINDS, ...UNSUPPORTED_KINDS].filter((one) => writtenKind(one) === kind).map((
    one,
  ) => one.group);
  const remedy = groups.length > 0
    ? `Kind ${kind} belongs to ${groups.join(" and ")}.`
    : `${meant === undefined ? "" : `Did you mean ${meant}? `}Known kinds: ${names.join(", ")}.`;
  const message = `kind not known: ${kind} of ${apiVersion}`;
  report.fail(["kind"], "unknown-kind", message, remedy);
}

/** Returns the likely identity of a document with an unsupported kind, for messages. */
function guessIdentity(
  value: Record<string, unknown>,
  options: ReadOptions,
): ObjectIdentity | undefined {
  const meta = isMap(value.metadata) ? value.metadata : {};
  if (typeof value.kind !== "string" || typeof meta.name !== "string") return undefined;
  const namespace = typeof meta.namespace === "string"
    ? meta.namespace
    : options.namespace ?? DEFAULT_NAMESPACE;
  return { kind: value.kind, namespace, name: meta.name };
}

/** The check for ineffective fields, by kind. */
const INEFFECTIVE: ReadonlyMap<string, WarnIneffective> = new Map(
  KINDS.map(({ kind, schema, effective }) => [kind, ineffectiveCheck(schema, effective)]),
);

function* readSpec(
  kind: Kind,
  value: unknown,
  identity: ObjectIdentity | undefined,
  report: Report,
): Generator<void, Message | undefined> {
  if (kind.metadataOnly) return readMessage(kind.schema, {}, ["spec"], report);
  if (value === undefined || value === null) {
    report.fail(["spec"], "required", "spec is missing", `Write the ${kind.kind}'s spec.`);
    return undefined;
  }
  const before = report.errors.length;
  const spec = yield* readMessageInSteps(kind.schema, value, ["spec"], report);
  yield;
  // Validation of an incomplete message would report its problems twice.
  if (report.errors.length === before) {
    const named = identity ?? { kind: kind.kind, namespace: "", name: "" };
    const steps = kind.validate(spec, named, report);
    if (steps !== undefined) yield* steps;
    kind.checkWritten?.(value, report);
    yield;
  }
  const warnings = INEFFECTIVE.get(kind.kind)?.(value, ["spec"], report);
  if (warnings !== undefined) yield* warnings;
  return spec;
}
