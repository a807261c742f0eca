/**
 * Functions that only templates of injection have.
 *
 * @module
 */
import { formatDuration, parseDuration } from "../../kit/base/mod.ts";
import { PROXY_CONTAINER } from "./objects.ts";
import {
  fieldOf,
  isMap,
  isTrue,
  plainOf,
  STANDARD_FUNCTIONS,
  type TemplateFunction,
  type TemplateFunctions,
  textOf,
} from "../../kit/template/mod.ts";

/** Gives the value of a variable of the daemon; `undefined`: it is not set, or there is none. */
export type TemplateVariables = (name: string) => string | undefined;

/** Functions for a template, with the variables that `env` gives. */
export function injectionFunctions(variables: TemplateVariables): TemplateFunctions {
  return new Map([
    ...STANDARD_FUNCTIONS,
    ...Object.entries(OWN),
    [ENV, (name: unknown, fallback: unknown) => variables(textOf(name)) || textOf(fallback)],
  ]);
}

/** The function that reads variables of the daemon. */
export const ENV = "env";

const OWN: Readonly<Record<string, TemplateFunction>> = {
  annotation: (meta, name, fallback) => {
    const annotations = fieldOf(meta, "Annotations");
    const key = textOf(name);
    const isSet = isMap(annotations) && Object.hasOwn(annotations, key);
    return isSet ? annotations[key] ?? textOf(fallback) : textOf(fallback);
  },
  valueOrDefault: (value, fallback) => isTrue(value) ? value : fallback,
  excludeInboundPort: (port, excluded) => withPort(textOf(port), textOf(excluded)),
  directory: (path) => textOf(path).replace(/\/[^/]*$/, "") || ".",
  appendMultusNetwork: (networks, network) => withNetwork(textOf(networks), textOf(network)),
  formatDuration: (duration) => {
    const text = textOf(duration);
    return text === "" ? "0s" : formatDuration(parseDuration(text));
  },
  applicationPorts: (containers) => portsOf(containers, (name) => name !== PROXY_CONTAINER),
  includeInboundPorts: (containers) => portsOf(containers, () => true),
  // They check nothing: the annotations are checked before.
  kubevirtInterfaces: textOf,
  excludeInterfaces: textOf,
  omitNil: (map) => withoutNothing(plainOf(map)),
};

/** The TCP ports of containers, with commas. */
function portsOf(containers: unknown, takes: (name: unknown) => boolean): string {
  const list = plainOf(containers);
  return (Array.isArray(list) ? list : []).filter((one) => isMap(one) && takes(one.name))
    .flatMap(({ ports }) => Array.isArray(ports) ? ports : [])
    .filter((port) => isMap(port) && (port.protocol ?? "TCP") === "TCP")
    .map(({ containerPort }) => textOf(containerPort)).join(",");
}

/** The value without entries of maps that are nothing. */
function withoutNothing(value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) => one !== null && one !== undefined)
      .map(([name, one]) => [name, withoutNothing(one)]),
  );
}

/** Names of all functions, for the parser. */
export const FUNCTION_NAMES: ReadonlySet<string> = new Set(
  injectionFunctions(() => undefined).keys(),
);

/** Adds a port to a list, unless it is there; `0` and empty add none. */
function withPort(port: string, excluded: string): string {
  const ports = excluded.split(",").map((one) => one.trim()).filter((one) => one !== "");
  if (port === "" || port === "0" || ports.includes(port)) return ports.join(",");
  return [...ports, port].join(",");
}

/**
 * Adds a network to the annotation of Multus: a list with commas, or JSON. The text of the user stays as
 * it is. Text that looks like JSON and is not stays unchanged.
 */
function withNetwork(networks: string, network: string): string {
  if (networks === "") return network;
  const end = networks.lastIndexOf("]");
  if (end < 0) {
    const isThere = networks.split(",").some((one) => one.trim() === network);
    return isThere ? networks : `${networks}, ${network}`;
  }
  const list = listIn(networks);
  const [name = "", namespace] = network.split("/").reverse();
  const isThere = list?.some((one) =>
    isMap(one) && (one.name === network || one.name === name && one.namespace === namespace)
  );
  if (list === undefined || isThere) return networks;
  const separator = list.length === 0 ? "" : ", ";
  const entry = namespace === undefined
    ? `{"name": ${JSON.stringify(name)}}`
    : `{"name": ${JSON.stringify(name)}, "namespace": ${JSON.stringify(namespace)}}`;
  return `${networks.slice(0, end)}${separator}${entry}${networks.slice(end)}`;
}

function listIn(text: string): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}
