/**
 * The network configuration that a call has on its standard input. Pure.
 *
 * @module
 */
import { CNI_CODE, CniFault } from "./fault.ts";

/** Versions of the standard, from the oldest. */
export const VERSIONS = ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;

export type CniVersion = typeof VERSIONS[number];

/** The part of the configuration that the plugin reads. */
export interface NetworkConfig {
  readonly cniVersion: CniVersion;
  readonly name: string;
  readonly excludeNamespaces: readonly string[];
  /** Pods in ambient mode must not start outside of the mesh. */
  readonly ambientEnabled: boolean;
  /** The result of the plugins before this one; absent when it is the first. */
  readonly prevResult: JsonObject | undefined;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Largest configuration, in UTF-16 units; the helper bounds it too. */
const LARGEST = 1 << 20;
/** Deepest nesting; a configuration with results has 8 or so. */
const DEEPEST = 64;

/** @throws {CniFault} 6 if it cannot be read, 1 for an unknown version, 2 or 7 for its fields */
export function parseConfig(text: string): NetworkConfig {
  const config = parseObject(text);
  const cniVersion = versionOf(config);
  const { name, type, prevResult } = config;
  if (typeof name !== "string" || !/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name)) {
    throw wrong("name", name, "letters, digits, `_`, `.` and `-`");
  }
  if (typeof type !== "string" || type === "") throw wrong("type", type, "the name of the plugin");
  if (prevResult !== undefined && prevResult !== null && !isObject(prevResult)) {
    throw wrong("prevResult", prevResult, "the result of the plugin before");
  }
  return {
    cniVersion,
    name,
    excludeNamespaces: namesOf(config.exclude_namespaces),
    ambientEnabled: config.ambient_enabled === true,
    prevResult: prevResult ?? undefined,
  };
}

/** The version that the caller asked for, for answers to what cannot be read otherwise. */
export function versionAsked(text: string): string | undefined {
  try {
    const { cniVersion } = parseObject(text);
    return typeof cniVersion === "string" ? cniVersion : undefined;
  } catch {
    return undefined;
  }
}

function parseObject(text: string): JsonObject {
  if (text.length > LARGEST) throw unreadable(`it is longer than ${LARGEST} characters`);
  if (depthOf(text) > DEEPEST) throw unreadable(`it is nested deeper than ${DEEPEST} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(`it is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw unreadable("it is not a JSON object");
  return value;
}

/** Nesting of brackets outside of texts. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [one] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (one === "{" || one === "[") deepest = Math.max(deepest, ++depth);
    else if (one === "}" || one === "]") depth--;
  }
  return deepest;
}

function versionOf({ cniVersion }: JsonObject): CniVersion {
  const version = VERSIONS.find((one) => one === cniVersion);
  if (version !== undefined) return version;
  throw new CniFault(
    CNI_CODE.version,
    `cniVersion: ${JSON.stringify(cniVersion) ?? "none"} is not supported`,
    { remedy: `It takes ${VERSIONS.join(", ")}.` },
  );
}

function namesOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw wrong("exclude_namespaces", value, "a list of namespaces");
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unreadable(reason: string): CniFault {
  return new CniFault(CNI_CODE.decode, `the network configuration cannot be read: ${reason}`, {
    remedy: "Correct the file of the network in the folder of CNI configurations.",
  });
}

function wrong(field: string, value: unknown, takes: string): CniFault {
  const shown = (JSON.stringify(value) ?? "none").slice(0, 200);
  return new CniFault(CNI_CODE.config, `${field}: invalid value ${shown}`, {
    remedy: `It takes ${takes}. Correct the file of the network.`,
  });
}
