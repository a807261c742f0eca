/** The status of GatewayClasses by ConfigMaps with defaults, and by the version of the definitions. */
import assert from "node:assert/strict";
import { DEFAULTS_LABEL } from "../../lib/cluster/controllers/mod.ts";
import { gatewayClassStatus } from "../../lib/mesh/gateway_api/mod.ts";
import { ClassStatus } from "./class_status.ts";

function defaults(name: string, className: string, data: Record<string, string>) {
  return {
    metadata: { name, namespace: "mesh-system", labels: { [DEFAULTS_LABEL]: className } },
    data,
  };
}

const GOOD = defaults("good", "mesh", { deployment: "spec: {replicas: 2}" });
const UNKNOWN = defaults("unknown", "mesh", { deployments: "" });
const NO_YAML = defaults("no-yaml", "mesh", { service: "spec: [" });

/** Status, reason and message of `Accepted` of a class, with these ConfigMaps. */
function accepted(
  items: Parameters<ClassStatus["seeDefaults"]>[0],
  status: ReturnType<typeof gatewayClassStatus> = gatewayClassStatus(3, true),
): string {
  const classes = new ClassStatus();
  classes.seeDefaults(items);
  const [condition] = classes.statusOf("mesh", status).conditions ?? [];
  assert.equal(condition?.type, "Accepted");
  assert.equal(condition.observedGeneration, 3);
  return `${condition.status} ${condition.reason} ${condition.message}`;
}

Deno.test("defaults of a class that cannot be used are in its status, the first by name", () => {
  assert.match(accepted([]), /^True Accepted /);
  assert.match(accepted([GOOD]), /^True Accepted /);
  assert.match(accepted([GOOD, UNKNOWN]), /^False InvalidParameters .*unknown.*key deployments/);
  assert.match(accepted([UNKNOWN, NO_YAML]), /^False InvalidParameters .*no-yaml/);
  assert.match(accepted([defaults("other", "another", { x: "" })]), /^True Accepted /);
});

Deno.test("a fault of the class's own parameters precedes", () => {
  const fault = { reason: "InvalidParameters", message: "parametersRef: missing" };
  assert.match(accepted([UNKNOWN], gatewayClassStatus(3, true, fault)), /parametersRef: missing/);
});

Deno.test("the status is the same object until something it depends on changes", () => {
  const classes = new ClassStatus();
  const status = gatewayClassStatus(3, true);
  assert.equal(classes.statusOf("mesh", status), status);
  classes.seeDefaults([UNKNOWN]);
  const refused = classes.statusOf("mesh", status);
  classes.seeDefaults([GOOD, UNKNOWN]);
  assert.equal(classes.statusOf("mesh", status), refused);
  classes.seeDefaults([GOOD]);
  assert.equal(classes.statusOf("mesh", status), status);
  classes.seeDefinition({ metadata: { name: "definition" } });
  const types = classes.statusOf("mesh", status).conditions?.map(({ type }) => type);
  assert.deepEqual(types, ["Accepted", "SupportedVersion"]);
});
