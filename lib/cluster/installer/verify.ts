/**
 * Checks that an installation is there as it should be.
 *
 * @module
 */
import type { OrchClient, OrchObject, ResourceType } from "../../kit/orch/mod.ts";
import { getObject } from "../../kit/orch/mod.ts";
import { differenceLines } from "../manifests/mod.ts";
import { compareAll, type Comparison } from "./compare.ts";
import { leaveToTag, readDefaultTag } from "./default_tag.ts";
import { readKinds } from "./kinds.ts";
import { missingNamespaces } from "./namespaces.ts";
import { type Installation, nameOf } from "./plan.ts";
import { isServed, type WebhookConfiguration, webhooksOf } from "./served_webhooks.ts";
import { type Workload, workloadState } from "./workload_state.ts";

/** The result for one object. */
export interface Verified {
  readonly object: OrchObject;
  /** Empty: it is as it should be. */
  readonly faults: readonly string[];
}

/** Compares each object with the cluster, and looks at the health of those that have one. */
export async function verify(
  client: OrchClient,
  { components }: Installation,
): Promise<Verified[]> {
  const objects = components.flatMap((one) => one.objects);
  const names = new Set(objects.flatMap(({ metadata: { namespace } }) => namespace ?? []));
  const missing = await missingNamespaces(client, [...names]);
  const kinds = readKinds(client);
  const compared = await compareAll({
    ...{ client, kinds, missingNamespaces: missing, force: false },
    objects: leaveToTag(objects, await readDefaultTag(client)),
  });
  const served = new Set(webhooksOf(objects).map(nameOf));
  return await Promise.all(compared.map(async (one) => {
    if (one.state === "new") return { object: one.object, faults: ["it does not exist"] };
    const faults = [...differences(one), ...await healthOf(client, one.object, one.type)];
    const { live } = one;
    if (
      live !== undefined && served.has(nameOf(live)) &&
      !isServed(live as WebhookConfiguration, objects)
    ) {
      faults.push("the daemon has not written its authority");
    }
    return { object: one.object, faults };
  }));
}

function differences({ object, changes, conflicts }: Comparison): string[] {
  return [
    ...differenceLines(changes, { isSecret: object.kind === "Secret" }).map((line) =>
      `it differs: ${line}`
    ),
    ...conflicts.map(({ field, manager }) => `${field} belongs to "${manager}"`),
  ];
}

async function healthOf(
  client: OrchClient,
  object: OrchObject,
  type: ResourceType,
): Promise<string[]> {
  if (!["Deployment", "DaemonSet", "StatefulSet"].includes(object.kind)) return [];
  const found = await getObject<Workload>(client, type, object.metadata);
  const { isReady, text, fault } = workloadState(object.kind, found);
  return [...isReady ? [] : [text], ...fault === undefined ? [] : [fault]];
}
