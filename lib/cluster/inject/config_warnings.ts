/**
 * Parts of a valid configuration of injection that do nothing.
 *
 * @module
 */
import { ENV } from "./functions.ts";
import type { Json } from "./objects.ts";
import { calledWith, type Definitions, isMap } from "../../kit/template/mod.ts";

/** Certificate authorities that the built-in templates set up. */
const AUTHORITIES: readonly unknown[] = ["", "MeshCA"];
/** Tracers for which the built-in templates do something, or nothing on purpose. */
const TRACERS: readonly unknown[] = ["", "none", "datadog", "lightstep"];

/** Values that no built-in template acts on, as sentences. */
export function valueWarnings(values: Json): string[] {
  const global = mapOf(values.global);
  const { caName } = global;
  const { tracer } = mapOf(global.proxy);
  const warnings: string[] = [];
  if (caName !== undefined && !AUTHORITIES.includes(caName)) {
    warnings.push(
      `values.global.caName: ${JSON.stringify(caName)} is not supported; proxies get their ` +
        "certificates from the authority at values.global.caAddress",
    );
  }
  if (tracer !== undefined && !TRACERS.includes(tracer)) {
    warnings.push(
      `values.global.proxy.tracer: ${JSON.stringify(tracer)} does nothing here; ` +
        "set defaultConfig.tracing or extensionProviders of the mesh configuration",
    );
  }
  return warnings;
}

/** Variables that templates read and the daemon does not have, as sentences. */
export function variableWarnings(
  templates: ReadonlyMap<string, Definitions>,
  known: ReadonlySet<string>,
): string[] {
  return [...templates].flatMap(([template, definitions]) =>
    [...calledWith(definitions, ENV)].filter((name) => !known.has(name)).map((name) =>
      `config.templates.${template}: the daemon has no variable ${name}, so that ` +
      `\`env\` gives its second argument`
    )
  );
}

function mapOf(value: unknown): Json {
  return isMap(value) ? value as Json : {};
}
