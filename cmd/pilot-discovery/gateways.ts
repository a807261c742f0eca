/**
 * The controller of the Gateways of the Gateway API.
 *
 * @module
 */
import {
  PILOT_ENABLE_AMBIENT_WAYPOINTS,
  PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER,
  PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER,
  REVISION,
  runGateways,
  type Term,
} from "../../lib/cluster/controllers/mod.ts";
import {
  AMBIENT_ENABLE_MULTI_NETWORK,
  PILOT_GATEWAY_API_CONTROLLER_NAME,
  PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME,
} from "../../lib/mesh/environment/mod.ts";
import { followInjectionConfig } from "../../lib/cluster/webhooks/mod.ts";
import { COMPLIANCE_POLICY } from "../../lib/kit/pki/mod.ts";
import { selectorsMatch } from "../../lib/mesh/ingest/mod.ts";
import {
  PILOT_ENABLE_AMBIENT,
  PILOT_ENABLE_GATEWAY_API,
  type RevisionTags,
} from "../../lib/mesh/sources/mod.ts";
import type { Settings } from "./settings.ts";
import type { Sources } from "./sources.ts";

/** The parts of the daemon that the controller needs. */
export interface GatewaysInput {
  readonly settings: Pick<Settings, "options">;
  readonly sources: Pick<Sources, "mesh" | "onMesh" | "tags">;
}

const NO_TAGS: RevisionTags = new Map();

/** The controller with the name of its lease: each revision deploys its own Gateways. */
export function gatewayControllers(
  input: GatewaysInput,
): { readonly name: string; readonly run: (term: Term) => Promise<void> }[] {
  const deploys = PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER.get();
  const createsClasses = PILOT_ENABLE_GATEWAY_API_GATEWAYCLASS_CONTROLLER.get();
  if (!PILOT_ENABLE_GATEWAY_API.get() || !deploys && !createsClasses) return [];
  const revision = REVISION.get() || "default";
  return [{
    name: `mesh-gateway-deployment-${revision}`,
    run: (term) => run(term, { ...input, revision, deploys, createsClasses }),
  }];
}

async function run(
  term: Term,
  { settings: { options }, sources, revision, deploys, createsClasses }: GatewaysInput & {
    readonly revision: string;
    readonly deploys: boolean;
    readonly createsClasses: boolean;
  },
): Promise<void> {
  let poke = () => {};
  const { namespace, clusterId } = options;
  const injection = followInjectionConfig(term.client, {
    namespace,
    revision,
    changed: () => poke(),
  });
  try {
    await runGateways(term, {
      deploys,
      createsClasses,
      waypoints: PILOT_ENABLE_AMBIENT_WAYPOINTS.get(),
      eastWest: PILOT_ENABLE_AMBIENT.get() && AMBIENT_ENABLE_MULTI_NETWORK.get(),
      className: PILOT_GATEWAY_API_DEFAULT_GATEWAYCLASS_NAME.get(),
      controllerName: PILOT_GATEWAY_API_CONTROLLER_NAME.get(),
      synced: injection.synced,
      settings: () => ({
        config: injection.current(),
        mesh: sources.mesh(),
        revision,
        clusterId,
        compliancePolicy: COMPLIANCE_POLICY.get() ?? "",
        rootNamespace: sources.mesh().rootNamespace || namespace,
      }),
      rules: () => ({
        revision,
        tags: sources.tags?.current() ?? NO_TAGS,
        selects(name, labels) {
          const { discoverySelectors, rootNamespace } = sources.mesh();
          return name === rootNamespace || selectorsMatch(discoverySelectors, name, () => labels);
        },
      }),
      onChange(changed) {
        poke = changed;
        const ends = [sources.onMesh(changed), sources.tags?.onChange(changed)];
        return () => ends.forEach((end) => end?.());
      },
    });
  } finally {
    await injection.close();
  }
}
