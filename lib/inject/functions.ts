/**
 * Functions that only templates of injection have.
 *
 * @module
 */
import { annotationsOf } from "./objects.ts";
import {
  isTrue,
  plainOf,
  STANDARD_FUNCTIONS,
  Structure,
  type TemplateFunctions,
  textOf,
} from "./template/mod.ts";

/** Values of variables of the daemon that templates may read. */
export type TemplateVariables = Readonly<Record<string, string>>;

/** Functions for a template, with the variables that `env` gives. */
export function injectionFunctions(variables: TemplateVariables): TemplateFunctions {
  return new Map([
    ...STANDARD_FUNCTIONS,
    ...Object.entries(OWN),
    ["env", (name: unknown, fallback: unknown) => {
      const key = textOf(name);
      if (!Object.hasOwn(variables, key)) {
        const known = Object.keys(variables).join(", ");
        throw new TypeError(`env gives only ${known}, not ${key}`);
      }
      return variables[key] || textOf(fallback);
    }],
  ]);
}

const OWN = {
  annotation: (meta: unknown, name: unknown, fallback: unknown) => {
    const plain = meta instanceof Structure ? plainOf(meta) as Record<string, unknown> : {};
    return annotationsOf({ metadata: plain })[textOf(name)] ?? textOf(fallback);
  },
  valueOrDefault: (value: unknown, fallback: unknown) => isTrue(value) ? value : fallback,
  excludeInboundPort: (port: unknown, excluded: unknown) =>
    withPort(textOf(port), textOf(excluded)),
  directory: (path: unknown) => textOf(path).replace(/\/[^/]*$/, "") || ".",
  appendMultusNetwork: (networks: unknown, network: unknown) =>
    withNetwork(textOf(networks), textOf(network)),
};

/** Names of all functions, for the parser. */
export const FUNCTION_NAMES: ReadonlySet<string> = new Set(injectionFunctions({}).keys());

/** Adds a port to a list, unless it is there; `0` and empty add none. */
function withPort(port: string, excluded: string): string {
  const ports = excluded.split(",").map((one) => one.trim()).filter((one) => one !== "");
  if (port === "" || port === "0" || ports.includes(port)) return ports.join(",");
  return [...ports, port].join(",");
}

/** Adds a network to the annotation of Multus: a list with commas, or JSON. */
function withNetwork(networks: string, network: string): string {
  if (networks === "") return network;
  if (networks.includes(network)) return networks;
  const text = networks.trim();
  if (!text.startsWith("[")) return `${networks}, ${network}`;
  const [namespace, name] = network.includes("/") ? network.split("/") : [undefined, network];
  const list = JSON.parse(text) as unknown[];
  // The reference is the first that the plugin of the mesh needs: only the name, in its form.
  return JSON.stringify([...list, namespace === undefined ? { name } : { name, namespace }]);
}
