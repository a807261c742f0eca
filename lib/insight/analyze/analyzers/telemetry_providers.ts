/**
 * Providers of Telemetries.
 *
 * @module
 */
import type { Analyzer } from "../analyzer.ts";

/** Access logs without a provider, in a mesh without a default one. */
export const TELEMETRY_PROVIDERS: Analyzer<"Telemetry"> = {
  name: "telemetry.ProviderAnalyzer",
  kinds: ["Telemetry"],
  codes: ["MSH0157"],
  *analyze({ read, mesh }, { meta, spec }) {
    const defaults = mesh.field(read, "defaultProviders")?.accessLogging ?? [];
    if (defaults.length > 0) return;
    for (const [at, { providers, disabled }] of spec.accessLogging.entries()) {
      if (providers.length > 0 || disabled === true) continue;
      const args = [meta.name, meta.namespace];
      yield { code: "MSH0157", args, path: `spec.accessLogging[${at}]` };
    }
  },
};

/** Tracing with a provider of a kind that is deprecated. */
export const DEPRECATED_PROVIDERS: Analyzer<"Telemetry"> = {
  name: "telemetry.LightstepAnalyzer",
  kinds: ["Telemetry"],
  codes: ["MSH0002"],
  *analyze({ read, mesh }, { spec }) {
    const all = mesh.field(read, "extensionProviders") ?? [];
    const deprecated = new Set(
      all.filter(({ provider }) => provider.case === "lightstep").map(({ name }) => name),
    );
    for (const [at, { providers }] of spec.tracing.entries()) {
      for (const [index, { name }] of providers.entries()) {
        if (!deprecated.has(name)) continue;
        const text = `provider ${name} is of the kind lightstep; use opentelemetry`;
        const path = `spec.tracing[${at}].providers[${index}].name`;
        yield { code: "MSH0002", args: [text], path };
      }
    }
  },
};
