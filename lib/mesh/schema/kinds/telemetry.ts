/**
 * Telemetry: names, effective fields, rules.
 *
 * @module
 */
import {
  type AccessLogging,
  type Metrics,
  type MetricsOverrides,
  MetricsOverrides_TagOverride_Operation as Operation,
  type ProviderRef,
  type Telemetry,
  TelemetrySchema,
  type Tracing,
  type Tracing_CustomTag,
} from "#mesh/telemetry/v1alpha1/telemetry_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import {
  celFault,
  checkDuration,
  checkPercent,
  checkPolicyScope,
  checkUnique,
  CONFLICT,
  REQUIRED,
  unknownFunction,
} from "../rules/mod.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { type TabledKind } from "../kind.ts";

export const TELEMETRY: TabledKind<"Telemetry", "telemetries", Telemetry> = {
  kind: "Telemetry",
  group: "telemetry.mesh.io",
  versions: ["v1", "v1alpha1"],
  plural: "telemetries",
  scope: "namespaced",
  table: "telemetries",
  schema: TelemetrySchema,
  effective: {
    paths: [
      "selector",
      "targetRef",
      "targetRefs",
      "accessLogging",
      "metrics[].providers",
      "metrics[].overrides",
      ...[
        "match",
        "providers",
        "randomSamplingPercentage",
        "disableSpanReporting",
        "customTags",
        "useRequestIdForTraceSampling",
        "enableMeshTags",
        "disableContextPropagation",
      ].map((field) => `tracing[].${field}`),
    ],
    ineffectiveValues: {
      "metrics[].overrides[].match.metric": ["GRPC_REQUEST_MESSAGES", "GRPC_RESPONSE_MESSAGES"],
    },
  },
  validate,
};

/** Checks a Telemetry's specification. */
function validate(
  spec: Telemetry,
  identity: ObjectIdentity,
  report: Report,
): void {
  checkPolicyScope(spec, identity, report);
  const path = ["spec"];
  if (spec.tracing.length > 1) {
    const message = "the first of several tracing entries counts";
    report.warn([...path, "tracing"], CONFLICT, message, "Keep one.");
  }
  spec.tracing.forEach((one, index) => checkTracing(one, [...path, "tracing", index], report));
  spec.metrics.forEach((one, index) => checkMetrics(one, [...path, "metrics", index], report));
  spec.accessLogging.forEach((one, index) =>
    checkLogging(one, [...path, "accessLogging", index], report)
  );
}

function checkProviders(providers: readonly ProviderRef[], path: Path, report: Report): void {
  providers.forEach(({ name }, index) => {
    if (name !== "") return;
    const remedy = "Name a provider of the mesh configuration.";
    report.fail([...path, index, "name"], REQUIRED, "the provider has no name", remedy);
  });
  const named = providers.map(({ name }, index) => [name, [...path, index, "name"]] as const);
  checkUnique(named.filter(([name]) => name !== ""), "provider", report);
}

function checkTracing(tracing: Tracing, path: Path, report: Report): void {
  checkProviders(tracing.providers, [...path, "providers"], report);
  if (tracing.providers.length > 1) {
    const message = "the first of several tracing providers counts";
    report.warn([...path, "providers"], CONFLICT, message, "Keep one.");
  }
  const sampling = tracing.randomSamplingPercentage;
  if (sampling !== undefined) {
    checkPercent(sampling, [...path, "randomSamplingPercentage"], report);
  }
  for (const [name, tag] of Object.entries(tracing.customTags)) {
    checkCustomTag(name, tag, [...path, "customTags", name], report);
  }
}

function checkCustomTag(name: string, tag: Tracing_CustomTag, path: Path, report: Report): void {
  if (name === "") report.failKey(path, REQUIRED, "the tag has no name", "Name it.");
  const { type } = tag;
  if (type.case === undefined) {
    const remedy = "Give literal, environment, header or formatter.";
    report.failKey(path, REQUIRED, `tag "${name}" has no value`, remedy);
    return;
  }
  const field = type.case === "literal" || type.case === "formatter" ? "value" : "name";
  const given = type.case === "literal" || type.case === "formatter"
    ? type.value.value
    : type.value.name;
  if (given !== "") return;
  const message = `the ${type.case} of tag "${name}" has no ${field}`;
  report.fail([...path, type.case, field], REQUIRED, message, `Give ${field}.`);
}

function checkMetrics(metrics: Metrics, path: Path, report: Report): void {
  checkProviders(metrics.providers, [...path, "providers"], report);
  checkDuration(metrics.reportingInterval, [...path, "reportingInterval"], report);
  metrics.overrides.forEach((one, index) =>
    checkOverride(one, [...path, "overrides", index], report)
  );
}

function checkOverride(override: MetricsOverrides, path: Path, report: Report): void {
  const match = override.match?.metricMatch;
  if (match?.case === "customMetric" && match.value === "") {
    const at = [...path, "match", "customMetric"];
    report.fail(at, REQUIRED, "the metric has no name", "Name the metric.");
  }
  for (const [name, tag] of Object.entries(override.tagOverrides)) {
    const at = [...path, "tagOverrides", name];
    if (name === "") report.failKey(at, REQUIRED, "the tag has no name", "Name it.");
    if (tag.operation === Operation.UPSERT && tag.value === "") {
      const message = `tag "${name}" is set to nothing`;
      const remedy = "Give value with an expression, or use operation REMOVE.";
      report.fail([...at, "value"], REQUIRED, message, remedy);
    }
    if (tag.operation === Operation.REMOVE && tag.value !== "") {
      const message = `tag "${name}" is removed and takes no value`;
      report.failKey([...at, "value"], CONFLICT, message, "Remove value.");
    }
    // The schema accepts any text, so this is a warning and does not reject the object.
    const fault = tag.value === "" ? undefined : celFault(tag.value) ?? strangeness(tag.value);
    if (fault !== undefined) {
      const message = `the value of tag "${name}" is no expression: ${fault}`;
      const remedy = "Write a CEL expression, with text in quotes.";
      report.warnValue([...at, "value"], "invalid-expression", message, remedy);
    }
  }
}

function checkLogging(logging: AccessLogging, path: Path, report: Report): void {
  checkProviders(logging.providers, [...path, "providers"], report);
  if (logging.filter === undefined) return;
  const { expression } = logging.filter;
  const at = [...path, "filter", "expression"];
  const fault = celFault(expression);
  if (fault === undefined) {
    const strange = strangeness(expression);
    if (strange === undefined) return;
    const message = `the filter is left out: ${strange}`;
    report.warnValue(at, "invalid-expression", message, "Use functions that the proxy has.");
    return;
  }
  const message = `the filter is no expression: ${fault}`;
  const remedy = "Write a CEL expression, for example response.code >= 400.";
  report.fail(at, "invalid-expression", message, remedy);
}

/** Returns why the proxy would reject a valid expression. */
function strangeness(expression: string): string | undefined {
  const name = unknownFunction(expression);
  return name === undefined ? undefined : `the proxy has no function ${name}`;
}
