/**
 * Validates a configuration with a real Envoy.
 *
 * @module
 */
import type { JsonValue } from "../../lib/kit/proto/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";

/** Envoy's verdict on a configuration. */
export interface Verdict {
  readonly accepted: boolean;
  /** Its output, for messages of failed tests. */
  readonly log: string;
}

const VALID = /^configuration '.*' OK$/m;

/** Another Envoy than the pinned one. */
export interface Validator {
  readonly path: string;
  /** More arguments. */
  readonly args: readonly string[];
}

/** Runs `envoy --mode validate` over a bootstrap, given as JSON. */
export async function validateBootstrap(
  bootstrap: JsonValue,
  validator?: Validator,
): Promise<Verdict> {
  const file = await Deno.makeTempFile({ prefix: "mesh-validate-", suffix: ".json" });
  try {
    await Deno.writeTextFile(file, JSON.stringify(bootstrap));
    const { success, stdout, stderr } = await new Deno.Command(
      validator?.path ?? await envoyPath(),
      {
        args: [
          ...["--mode", "validate", "-c", file, "-l", "error", "--concurrency", "1"],
          ...validator?.args ?? [],
        ],
        stdout: "piped",
        stderr: "piped",
      },
    ).output();
    const text = new TextDecoder();
    const log = text.decode(stdout) + text.decode(stderr);
    // Envoy 1.39.3 crashes in taking down loggers of statistics, after its verdict.
    return { accepted: success || VALID.test(log), log };
  } finally {
    await Deno.remove(file);
  }
}

const MANAGER =
  "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

/** A bootstrap with one HTTP listener for each route configuration (as JSON), with the filters that routes configure. */
export function routesBootstrap(configurations: readonly JsonValue[]): JsonValue {
  return { staticResources: { listeners: configurations.map(listener) } };
}

function listener(routeConfig: JsonValue, index: number): JsonValue {
  return {
    name: `listener-${index}`,
    address: { pipe: { path: `@mesh-validate-${index}` } },
    filterChains: [{
      filters: [{
        name: "envoy.filters.network.http_connection_manager",
        typedConfig: {
          "@type": MANAGER,
          statPrefix: "validate",
          routeConfig,
          httpFilters: [
            httpFilter("cors", "cors.v3.Cors"),
            httpFilter("fault", "fault.v3.HTTPFault"),
            httpFilter("router", "router.v3.Router"),
          ],
        },
      }],
    }],
  };
}

function httpFilter(name: string, type: string): JsonValue {
  return {
    name: `envoy.filters.http.${name}`,
    typedConfig: { "@type": `type.googleapis.com/envoy.extensions.filters.http.${type}` },
  };
}
