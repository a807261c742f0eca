/**
 * The configuration of injection: the keys `config` and `values` of its ConfigMap.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { parseYaml } from "../../kit/text/mod.ts";
import type { DecisionRules } from "./decide.ts";
import { valueWarnings, variableWarnings } from "./config_warnings.ts";
import { DEFAULT_TEMPLATES, DEFAULT_VALUES } from "./defaults/mod.ts";
import { FUNCTION_NAMES } from "./functions.ts";
import type { LabelSelector } from "./selector.ts";
import { type Definitions, isMap, parseTemplate, valuesRead } from "../../kit/template/mod.ts";
import { asInjection } from "./template_fault.ts";
import { nameWarnings } from "./value_names.ts";
import type { Json } from "./objects.ts";

/** Templates and rules that apply to all pods. */
export interface InjectionConfig extends DecisionRules {
  /** Templates of pods without the annotation `inject.mesh.io/templates`. */
  readonly defaultTemplates: readonly string[];
  /** Parsed templates by name. */
  readonly templates: ReadonlyMap<string, Definitions>;
  /** Texts of the templates by name. */
  readonly texts: Readonly<Record<string, string>>;
  /** Names that stand for lists of templates. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  /** Annotations that all injected pods get. */
  readonly injectedAnnotations: Readonly<Record<string, string>>;
  /** Values for templates. */
  readonly values: Json;
  /** Parts that do nothing, as sentences. */
  readonly warnings: readonly string[];
}

/** The configuration without a ConfigMap. */
export function defaultInjectionConfig(): InjectionConfig {
  return parseInjectionConfig({ config: "", values: "" });
}

/**
 * Parses the texts of the ConfigMap. Built-in templates and values are used for what they do not have:
 * a ConfigMap that gives a template `sidecar` replaces the built-in one.
 *
 * @param config YAML; empty: the defaults. A text that is a pod is taken as the template `sidecar`
 * @param values JSON or YAML; its maps are merged over the built-in values
 * @throws MeshError `inject-config` that names the key, or `inject-template` with the line
 */
export function parseInjectionConfig(
  { config, values, variables }: {
    readonly config: string;
    readonly values: string;
    /** Names of the daemon's variables; unset: not known. */
    readonly variables?: ReadonlySet<string>;
  },
): InjectionConfig {
  const fields = mapAt(parsed(config, "config"), "config");
  const own = "spec" in fields && !("templates" in fields)
    ? { sidecar: config }
    : textsAt(fields.templates, "config.templates");
  const texts = { ...DEFAULT_TEMPLATES, ...own };
  const templates = new Map(
    Object.entries(texts).map(([name, text]) => [
      name,
      asInjection(() => parseTemplate(name, text, FUNCTION_NAMES)),
    ]),
  );
  const policy = fields.policy ?? "enabled";
  if (policy !== "enabled" && policy !== "disabled") {
    throw fault("config.policy", `${JSON.stringify(policy)} is neither enabled nor disabled`);
  }
  const ownValues = mapAt(parsed(values, "values"), "values");
  const given = mergeValues(DEFAULT_VALUES, ownValues);
  return {
    policy,
    templates,
    texts,
    defaultTemplates: defaultsAt(fields.defaultTemplates),
    aliases: aliasesAt(fields.aliases),
    neverInjectSelector: selectorsAt(fields.neverInjectSelector, "config.neverInjectSelector"),
    alwaysInjectSelector: selectorsAt(fields.alwaysInjectSelector, "config.alwaysInjectSelector"),
    injectedAnnotations: textsAt(fields.injectedAnnotations, "config.injectedAnnotations"),
    values: given,
    warnings: [
      ...valueWarnings(given),
      ...nameWarnings(
        ownValues,
        Object.keys(own).flatMap((name) => valuesRead(templates.get(name)!)),
      ),
      ...variables === undefined ? [] : variableWarnings(templates, variables),
    ],
  };
}

/** Merges maps of values; lists and scalars are replaced. */
export function mergeValues(base: Json, over: Json): Json {
  const result: Json = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const below = result[name];
    result[name] = isMap(value) && isMap(below) ? mergeValues(below, value) : value;
  }
  return result;
}

function parsed(text: string, key: string): unknown {
  try {
    return parseYaml(text) ?? {};
  } catch (error) {
    if (error instanceof MeshError) throw fault(key, error.message);
    throw error;
  }
}

function mapAt(value: unknown, path: string): Json {
  if (value === undefined || value === null) return {};
  if (isMap(value)) return value as Json;
  throw fault(path, "it is not a map");
}

function textsAt(value: unknown, path: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(mapAt(value, path)).map(([name, text]) => {
      if (typeof text !== "string") throw fault(`${path}.${name}`, "it is not a text");
      return [name, text];
    }),
  );
}

function namesAt(value: unknown, path: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw fault(path, "it is not a list of names");
}

function defaultsAt(value: unknown): readonly string[] {
  const names = namesAt(value, "config.defaultTemplates");
  return names.length > 0 ? names : ["sidecar"];
}

function aliasesAt(value: unknown): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(mapAt(value, "config.aliases")).map((
      [name, names],
    ) => [name, namesAt(names, `config.aliases.${name}`)]),
  );
}

function selectorsAt(value: unknown, path: string): readonly LabelSelector[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every(isMap)) return value as LabelSelector[];
  throw fault(path, "it is not a list of label selectors");
}

function fault(path: string, what: string): MeshError {
  return new MeshError("inject-config", `configuration of injection: ${path}: ${what}`, {
    remedy: "Correct the keys config and values of the injection ConfigMap.",
  });
}
