import { MeshError } from "../../kit/base/mod.ts";
import { DEFAULT_YAML_LIMITS, parseYaml } from "../../kit/text/mod.ts";
import { asMap, asMaps, asText, camelCased, type Json, type JsonMap } from "./json.ts";

/** A parsed dump. */
export interface Dump {
  /** Name for messages: a file or an address. */
  readonly origin: string;
  /** The whole answer: `configs` of a config dump, `clusterStatuses` of `/clusters`. */
  readonly value: JsonMap;
  /** The sections by the last part of their type, such as `ClustersConfigDump`. */
  readonly sections: ReadonlyMap<string, JsonMap>;
}

/** YAML of a dump: larger than configuration. */
const YAML_LIMITS = {
  ...DEFAULT_YAML_LIMITS,
  fileBytes: 64 * 1024 * 1024,
  documentLength: 64 * 1024 * 1024,
  nodes: 3_000_000,
};

/**
 * Reads a config dump, or the answer of `/clusters?format=json`, in JSON or YAML.
 *
 * @throws {MeshError} `data` for text that is neither, and for other documents
 */
export function parseDump(text: string, origin: string): Dump {
  const value = parseValue(text, origin);
  const configs = asMaps(value.configs);
  if (value.configs === undefined && value.clusterStatuses === undefined) {
    throw notADump(origin, "it has neither `configs` nor `cluster_statuses`");
  }
  const sections = configs.map((section): [string, JsonMap] => [
    asText(section["@type"]).split(".").at(-1) ?? "",
    section,
  ]);
  return { origin, value, sections: merged(sections) };
}

/** Sections of the same type are one; lists are joined. */
function merged(sections: readonly [string, JsonMap][]): Map<string, JsonMap> {
  const found = new Map<string, JsonMap>();
  for (const [type, section] of sections) {
    const before = found.get(type);
    found.set(type, before === undefined ? section : joined(before, section));
  }
  return found;
}

function joined(before: JsonMap, after: JsonMap): JsonMap {
  const both: Record<string, Json | undefined> = { ...before, ...after };
  for (const [name, value] of Object.entries(before)) {
    const later = after[name];
    if (Array.isArray(value) && Array.isArray(later)) both[name] = [...value, ...later];
  }
  return both;
}

/** Two dumps of one proxy as one. */
export function mergeDumps(one: Dump, other: Dump): Dump {
  return {
    origin: one.origin,
    value: { ...other.value, ...one.value },
    sections: merged([...one.sections, ...other.sections]),
  };
}

/**
 * Reads an object in JSON or YAML; field names are in camel case.
 *
 * @throws {MeshError} `data`
 */
export function parseValue(text: string, origin: string): JsonMap {
  const value = text.trimStart().startsWith("{") ? ofJson(text, origin) : ofYaml(text, origin);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw notADump(origin, "it is not an object");
  }
  return asMap(camelCased(value));
}

function ofJson(text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The runtime's message quotes the text, which may have secrets.
    const cut = !/[}\]]\s*$/.test(text);
    throw notADump(origin, cut ? "the JSON is cut off" : "the JSON is malformed");
  }
}

function ofYaml(text: string, origin: string): unknown {
  try {
    return parseYaml(text, YAML_LIMITS);
  } catch (cause) {
    if (!(cause instanceof MeshError)) throw cause;
    throw notADump(origin, cause.message);
  }
}

function notADump(origin: string, reason: string): MeshError {
  return new MeshError("data", `${origin} is not a config dump: ${reason}`, {
    remedy: "Save one with: curl -s localhost:15000/config_dump?include_eds > config_dump.json",
  });
}
