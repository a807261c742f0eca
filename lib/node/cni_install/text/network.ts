/**
 * Texts of network configurations: what they hold, with the plugin's entry, and without it.
 *
 * @module
 */
import { MeshError, messageOf } from "../../../kit/base/mod.ts";
import { PLUGIN } from "../settings.ts";
import { indentAt, type JsonSpan, memberOf, spansOf, withoutParts } from "./json_text.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Name and version of the list that a configuration of one plugin becomes. */
const LIST_NAME = "k8s-pod-network";
const LIST_VERSION = "0.3.1";

/** A configuration as read: one plugin, or a list of plugins. */
export interface Network {
  readonly kind: "conf" | "list";
  readonly value: JsonObject;
  /** Entries of the plugins, in order. */
  readonly plugins: readonly JsonObject[];
}

/**
 * Reads a configuration.
 *
 * @throws MeshError `cni-config-invalid` when it is neither one plugin nor a list of plugins
 */
export function readNetwork(text: string): Network {
  const value = objectOf(text);
  if (typeof value.type === "string") return { kind: "conf", value, plugins: [value] };
  const { plugins } = value;
  if (!Array.isArray(plugins)) {
    throw invalid('it has neither "type" nor a list "plugins"');
  }
  const at = plugins.findIndex((plugin) => !isObject(plugin));
  if (at >= 0) throw invalid(`plugins[${at}] is not an object`);
  return { kind: "list", value, plugins };
}

/**
 * The reason why a container runtime does not use a configuration; `undefined` when it does.
 *
 * @param name the file's name, whose ending says what the runtime expects
 */
export function whyUnusable(name: string, text: string): string | undefined {
  let value: JsonObject;
  try {
    value = objectOf(text);
  } catch (error) {
    return messageOf(error);
  }
  if (!name.endsWith(".conflist")) {
    return isText(value.type) ? undefined : 'it has no "type"';
  }
  const { plugins } = value;
  if (typeof value.name !== "string") return 'it has no "name"';
  if (!Array.isArray(plugins)) return 'it has no list "plugins"';
  if (plugins.length === 0) return 'its list "plugins" is empty';
  const at = plugins.findIndex((plugin) => !isObject(plugin) || !isText(plugin.type));
  return at < 0 ? undefined : `plugins[${at}] has no "type"`;
}

/** Reports if a text is a configuration with the plugin, alone or in a list. */
export function hasEntry(text: string): boolean {
  try {
    return readNetwork(text).plugins.some(({ type }) => type === PLUGIN);
  } catch {
    return false;
  }
}

/**
 * A configuration with an entry as the last of its plugins, in place of entries of the same type. A
 * configuration of one plugin becomes a list. All other text stays as it is.
 *
 * @throws MeshError `cni-config-invalid`
 */
export function withEntry(text: string, entry: JsonObject): string {
  const { cniVersion: _, ...own } = entry;
  const network = readNetwork(text);
  if (network.kind === "conf") return listOf(text, own);
  const cleaned = withoutEntry(text);
  const plugins = pluginsOf(cleaned);
  const last = plugins.items.at(-1);
  const indent = last && indentAt(cleaned, last.start);
  const written = indent === undefined ? JSON.stringify(own) : indented(own, indent);
  if (last === undefined) {
    return `${cleaned.slice(0, plugins.start + 1)}${written}${cleaned.slice(plugins.end - 1)}`;
  }
  const gap = indent === undefined ? ", " : `,\n${indent}`;
  return `${cleaned.slice(0, last.end)}${gap}${written}${cleaned.slice(last.end)}`;
}

/**
 * A list without the entries of the plugin; all other text stays as it is.
 *
 * @throws MeshError `cni-config-invalid`
 */
export function withoutEntry(text: string): string {
  const network = readNetwork(text);
  if (network.kind === "conf") return text;
  return withoutParts(
    text,
    pluginsOf(text).items,
    (at) => network.plugins[at]?.type === PLUGIN,
  );
}

/** The entry of one plugin in a list, without the version, which the list has. */
function listOf(text: string, entry: JsonObject): string {
  const span = spansOf(text);
  const parts = span.members.map(({ start, value }) => ({ start, end: value.end }));
  const body = withoutParts(
    text.slice(0, span.end),
    parts,
    (at) => span.members[at]?.key === "cniVersion",
  ).slice(span.start);
  const inner = "    ";
  // Text of JSON has line breaks between values only, so each line can be moved.
  const plugin = body.split("\n").join(`\n${inner}`);
  return [
    "{",
    `  "cniVersion": ${JSON.stringify(LIST_VERSION)},`,
    `  "name": ${JSON.stringify(LIST_NAME)},`,
    `  "plugins": [`,
    `${inner}${plugin},`,
    `${inner}${indented(entry, inner)}`,
    "  ]",
    "}",
    "",
  ].join("\n");
}

function pluginsOf(text: string): JsonSpan {
  const member = memberOf(spansOf(text), "plugins");
  if (member === undefined) throw invalid('it has no list "plugins"');
  return member.value;
}

function indented(value: JsonObject, indent: string): string {
  return JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${indent}`);
}

function objectOf(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
    spansOf(text);
  } catch (error) {
    throw invalid(`it is not JSON: ${messageOf(error)}`);
  }
  if (!isObject(value)) throw invalid("it is not a JSON object");
  return value;
}

function invalid(why: string): MeshError {
  return new MeshError("cni-config-invalid", why);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Reports if a value of JSON is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
