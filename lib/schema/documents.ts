/**
 * A file's text to objects, document by document.
 *
 * @module
 */
import { hash } from "../base/mod.ts";
import { encode, type Message } from "../proto/mod.ts";
import {
  DEFAULT_YAML_LIMITS,
  nearest,
  readYaml,
  type YamlDocument,
  type YamlLimits,
} from "../text/mod.ts";
import { warnInert } from "./inert.ts";
import { findKind, isRead, type Kind, KINDS, LATER_KINDS } from "./kinds.ts";
import { checkTopLevel, DEFAULT_NAMESPACE, type Metadata, readMetadata } from "./metadata.ts";
import {
  fail,
  type Finding,
  formatPath,
  newReport,
  type ObjectIdentity,
  type Report,
  type SchemaProblem,
} from "./problem.ts";
import { isMap, readMessage } from "./reader.ts";
import { describe } from "./scalars.ts";

/** An object that was read, checked and found good. */
export interface ParsedObject<T = Message> {
  readonly kind: string;
  readonly meta: Metadata & {
    /** 1-based line of the document's first key. */
    readonly line: number;
  };
  readonly spec: T;
  /** Hash over the specification's bytes, labels and annotations: equal digests, equal objects. */
  readonly digest: string;
}

/** What one document gave. */
export interface ParsedDocument {
  /** 1-based line of its first key, or of the fault when it could not be parsed. */
  readonly line: number;
  /** What the document is called, if that could be read, even when it is set aside. */
  readonly identity?: ObjectIdentity;
  /** Whether it may be any object: it did not parse, or does not tell its kind and name. */
  readonly anonymous: boolean;
  /** Absent when the document is set aside; `problems` says why. */
  readonly object?: ParsedObject;
  readonly problems: readonly SchemaProblem[];
  readonly warnings: readonly SchemaProblem[];
}

/** What a whole file gave. */
export interface ParsedDocuments {
  readonly objects: readonly ParsedObject[];
  readonly problems: readonly SchemaProblem[];
  readonly warnings: readonly SchemaProblem[];
}

/**
 * The documents of a text in order, one at a time: the reader may pause between
 * them. A document with problems has no object; the others are not touched by it.
 */
export function* eachDocument(
  text: string,
  file: string,
  limits: YamlLimits = DEFAULT_YAML_LIMITS,
): Generator<ParsedDocument> {
  for (const { document, problem } of readYaml(text, limits)) {
    if (document !== undefined) {
      if (document.value !== null) yield readDocument(document, file);
      continue;
    }
    const { line } = problem;
    yield { line, anonymous: true, problems: [{ file, path: "", ...problem }], warnings: [] };
  }
}

/** All documents of a text. Pure. */
export function parseConfigDocuments(
  text: string,
  file: string,
  limits: YamlLimits = DEFAULT_YAML_LIMITS,
): ParsedDocuments {
  const documents = [...eachDocument(text, file, limits)];
  return {
    objects: documents.flatMap((one) => one.object ?? []),
    problems: documents.flatMap((one) => one.problems),
    warnings: documents.flatMap((one) => one.warnings),
  };
}

function readDocument(document: YamlDocument, file: string): ParsedDocument {
  const report = newReport();
  const { identity, object } = readObject(document, report);
  const locate = (finding: Finding): SchemaProblem => ({
    file,
    ...document.locate(finding.path, finding.target),
    path: formatPath(finding.path),
    code: finding.code,
    message: finding.message,
    remedy: finding.remedy,
    object: identity,
  });
  return {
    line: document.line,
    identity,
    anonymous: identity === undefined && mayBeOurs(document.value),
    object: report.errors.length === 0 ? object : undefined,
    problems: report.errors.map(locate),
    warnings: report.warnings.map(locate),
  };
}

/** Whether a document without identity looks like an object of a kind that is read, rather than something foreign. */
function mayBeOurs(value: unknown): boolean {
  if (!isMap(value)) return !Array.isArray(value);
  if (typeof value.kind === "string") return KINDS.some((one) => one.kind === value.kind);
  return ["apiVersion", "metadata", "spec"].some((name) => name in value);
}

function readObject(
  document: YamlDocument,
  report: Report,
): { identity?: ObjectIdentity; object?: ParsedObject } {
  const { value } = document;
  if (!isMap(value)) {
    const message = `expected an object, found ${describe(value)}`;
    fail(report, [], "wrong-type", message, "Begin with apiVersion, kind, metadata and spec.");
    return {};
  }
  const kind = readKind(value, report);
  if (kind === undefined) return { identity: guessIdentity(value) };
  checkTopLevel(value, report);
  const meta = readMetadata(value.metadata, report);
  const identity = meta.name === "" || meta.namespace === ""
    ? undefined
    : { kind: kind.kind, namespace: meta.namespace, name: meta.name };
  const spec = readSpec(kind, value.spec, identity, report);
  if (spec === undefined || report.errors.length > 0) return { identity };
  const digest = digestOf(kind, spec, meta);
  return {
    identity,
    object: { kind: kind.kind, meta: { ...meta, line: document.line }, spec, digest },
  };
}

function readKind(value: Record<string, unknown>, report: Report): Kind | undefined {
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    const missing = typeof apiVersion !== "string" ? "apiVersion" : "kind";
    const message = value[missing] === undefined
      ? `${missing} is missing`
      : `${missing} must be a string`;
    fail(
      report,
      [missing],
      "required",
      message,
      "Write, for example, apiVersion: networking.mesh.io/v1.",
    );
    return undefined;
  }
  const [group = "", version = ""] = apiVersion.includes("/")
    ? apiVersion.split("/")
    : ["", apiVersion];
  const found = findKind(group, kind);
  if (found === undefined) {
    unknownKind(apiVersion, kind, report);
    return undefined;
  }
  if (!isRead(found)) {
    const message = `kind ${kind} of ${group} is not supported yet`;
    fail(
      report,
      ["kind"],
      "unsupported-kind",
      message,
      "Remove the object, or expect no effect from it.",
    );
    return undefined;
  }
  if (!found.versions.includes(version)) {
    const message = `${kind} has no version "${version}"`;
    fail(
      report,
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
  const meant = nearest(kind, [...names, ...LATER_KINDS.map((one) => one.kind)]);
  const groups = [...KINDS, ...LATER_KINDS].filter((one) => one.kind === kind).map((one) =>
    one.group
  );
  const remedy = groups.length > 0
    ? `Kind ${kind} belongs to ${groups.join(" and ")}.`
    : `${meant === undefined ? "" : `Did you mean ${meant}? `}Known kinds: ${names.join(", ")}.`;
  const message = `kind not known: ${kind} of ${apiVersion}`;
  fail(report, ["kind"], "unknown-kind", message, remedy);
}

/** An identity for a document whose kind is not read: as good as it can be told, for messages. */
function guessIdentity(value: Record<string, unknown>): ObjectIdentity | undefined {
  const meta = isMap(value.metadata) ? value.metadata : {};
  if (typeof value.kind !== "string" || typeof meta.name !== "string") return undefined;
  const namespace = typeof meta.namespace === "string" ? meta.namespace : DEFAULT_NAMESPACE;
  return { kind: value.kind, namespace, name: meta.name };
}

function readSpec(
  kind: Kind,
  value: unknown,
  identity: ObjectIdentity | undefined,
  report: Report,
): Message | undefined {
  if (value === undefined || value === null) {
    fail(report, ["spec"], "required", "spec is missing", `Write the ${kind.kind}'s spec.`);
    return undefined;
  }
  const before = report.errors.length;
  const spec = readMessage(kind.schema, value, ["spec"], report);
  // Rules over a message with holes would report the holes again.
  if (report.errors.length === before) {
    kind.validate(spec, identity ?? { kind: kind.kind, namespace: "", name: "" }, report);
    kind.checkWritten?.(value, report);
  }
  warnInert(kind.kind, kind.schema, value, ["spec"], report);
  return spec;
}

function digestOf(kind: Kind, spec: Message, meta: Metadata): string {
  const { labels, annotations } = meta;
  // The reader sorts the keys of all maps, so equal content has equal bytes.
  const bytes = hash(encode(kind.schema, spec));
  return hash(JSON.stringify([bytes, labels, annotations]));
}
