/**
 * The part that all kinds share: apiVersion, kind, metadata.
 *
 * @module
 */
import { fromJson, TimestampSchema } from "../../kit/proto/mod.ts";
import {
  isDnsLabel,
  isDnsSubdomain,
  labelKeyFault,
  labelValueFault,
  type Path,
} from "../../kit/text/mod.ts";
import type { Report } from "./problem.ts";
import { describe, isMap, unknownField, wrongType } from "./read/mod.ts";

/** Metadata of an object: name, namespace, labels, annotations, creation time. */
export interface Metadata {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch; 0 if the document has no creation time. */
  readonly creationTime: number;
}

export const DEFAULT_NAMESPACE = "default";
/** Limit of the orchestrator for all annotations of an object, in characters. */
const MAX_ANNOTATIONS_LENGTH = 256 * 1024;

const TOP_LEVEL = ["apiVersion", "kind", "metadata", "spec", "status"];
/** Fields of the orchestrator's metadata; the others are accepted because its tools write them. */
const METADATA = [
  "name",
  "namespace",
  "labels",
  "annotations",
  "creationTimestamp",
  "generateName",
  "uid",
  "resourceVersion",
  "generation",
  "managedFields",
  "ownerReferences",
  "finalizers",
  "selfLink",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];

/** Rejects keys other than the five of a document. */
export function checkTopLevel(document: Record<string, unknown>, report: Report): void {
  checkKeys(document, TOP_LEVEL, [], report);
}

function checkKeys(
  map: Record<string, unknown>,
  known: readonly string[],
  path: Path,
  report: Report,
): void {
  for (const key of Object.keys(map)) {
    if (known.includes(key)) continue;
    unknownField(report, [...path, key], key, known.map((jsonName) => ({ jsonName })));
  }
}

/** Reads the metadata. Missing or malformed parts are reported and are empty in the result. */
export function readMetadata(
  value: unknown,
  report: Report,
  namespace: string = DEFAULT_NAMESPACE,
): Metadata {
  if (!isMap(value)) {
    const message = value === undefined || value === null
      ? "metadata is missing"
      : wrongType("a map", value).message;
    report.fail(["metadata"], "required", message, "Add metadata with a name.");
    return { namespace, name: "", labels: {}, annotations: {}, creationTime: 0 };
  }
  checkKeys(value, METADATA, ["metadata"], report);
  const labels = readStrings(value.labels, ["metadata", "labels"], report);
  const { [SESSION_COOKIE]: cookie, ...others } = labels;
  checkLabels(others, ["metadata", "labels"], report);
  if (cookie !== undefined) checkCookie(cookie, report);
  return {
    namespace: readNamespace(value.namespace, namespace, report),
    name: readName(value.name, report),
    labels,
    annotations: readAnnotations(value.annotations, report),
    creationTime: readTime(value.creationTimestamp, report),
  };
}

/** The one label whose value may violate the orchestrator's syntax: a cookie as `name:/path`. */
const SESSION_COOKIE = "mesh.io/persistent-session";
const COOKIE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]*(:\/[^\s;]*)?$/;

function checkCookie(value: string, report: Report): void {
  if (COOKIE.test(value)) return;
  report.fail(
    ["metadata", "labels", SESSION_COOKIE],
    "invalid-label",
    `${JSON.stringify(value)} names no cookie`,
    "Write the cookie's name, or name:/path.",
  );
}

function readName(value: unknown, report: Report): string {
  const path = ["metadata", "name"];
  if (value === undefined || value === null || value === "") {
    report.fail(path, "required", "the object has no name", "Give metadata.name.");
    return "";
  }
  return readDnsName(value, path, SUBDOMAIN, report);
}

function readNamespace(value: unknown, preset: string, report: Report): string {
  if (value === undefined || value === null || value === "") return preset;
  const path = ["metadata", "namespace"];
  return readDnsName(value, path, LABEL, report);
}

/** Syntax of a name: the check, and the allowed characters for messages. */
interface NameSyntax {
  readonly isValid: (text: string) => boolean;
  readonly letters: string;
}

const LABEL: NameSyntax = { isValid: isDnsLabel, letters: "lower-case letters, digits and '-'" };
const SUBDOMAIN: NameSyntax = {
  isValid: isDnsSubdomain,
  letters: "lower-case letters, digits, '-' and '.'",
};

function readDnsName(
  value: unknown,
  path: Path,
  { isValid, letters }: NameSyntax,
  report: Report,
): string {
  if (typeof value !== "string") {
    const { code, message, remedy } = wrongType("a string", value);
    report.fail(path, code, message, remedy);
    return "";
  }
  if (isValid(value)) return value;
  report.fail(
    path,
    "invalid-name",
    `${JSON.stringify(value)} is not a DNS name`,
    `Use ${letters}, beginning and ending with a letter or digit.`,
  );
  return "";
}

function readStrings(value: unknown, path: Path, report: Report): Record<string, string> {
  const out: Record<string, string> = {};
  if (value === undefined || value === null) return out;
  if (!isMap(value)) {
    const { code, message, remedy } = wrongType("a map", value);
    report.fail(path, code, message, remedy);
    return out;
  }
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    if (typeof item === "string") out[key] = item;
    else {
      const { code, message, remedy } = wrongType("a string", item);
      report.fail([...path, key], code, message, remedy);
    }
  }
  return out;
}

/** Labels of one map. Each label of a workload is looked up on its own. */
const MAX_LABELS = 1_000;

/** Checks keys and values of a map of labels. */
export function checkLabels(
  labels: Readonly<Record<string, string>>,
  path: Path,
  report: Report,
): void {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) {
    const message = `${entries.length} labels, more than ${MAX_LABELS}`;
    return report.fail(path, "too-large", message, "Remove labels that nothing selects.");
  }
  for (const [key, value] of entries) {
    const at = [...path, key];
    const remedy = "Use the orchestrator's label syntax.";
    const keyFault = labelKeyFault(key);
    if (keyFault) report.failKey(at, "invalid-label", `label key: ${keyFault}`, remedy);
    const valueFault = labelValueFault(value);
    if (valueFault) report.fail(at, "invalid-label", `label value: ${valueFault}`, remedy);
  }
}

function readAnnotations(value: unknown, report: Report): Record<string, string> {
  const path = ["metadata", "annotations"];
  const annotations = readStrings(value, path, report);
  let length = 0;
  for (const [key, text] of Object.entries(annotations)) {
    length += key.length + text.length;
    const fault = labelKeyFault(key.toLowerCase());
    if (fault) {
      const remedy = "Use the orchestrator's annotation syntax.";
      report.failKey([...path, key], "invalid-annotation", `annotation key: ${fault}`, remedy);
    }
  }
  if (length > MAX_ANNOTATIONS_LENGTH) {
    const message = `annotations have ${length} characters, more than ${MAX_ANNOTATIONS_LENGTH}`;
    report.fail(path, "invalid-annotation", message, "Keep large values elsewhere.");
  }
  return annotations;
}

function readTime(value: unknown, report: Report): number {
  if (value === undefined || value === null) return 0;
  try {
    if (typeof value === "string") return timeMs(fromJson(TimestampSchema, value));
  } catch {
    // It is reported below.
  }
  const path = ["metadata", "creationTimestamp"];
  const message = `expected a time, found ${describe(value)}`;
  report.fail(path, "wrong-type", message, "Write 2024-01-31T12:00:00Z, or leave it out.");
  return 0;
}

function timeMs({ seconds, nanos }: { readonly seconds: bigint; readonly nanos: number }): number {
  return Number(seconds) * 1000 + Math.trunc(nanos / 1e6);
}
