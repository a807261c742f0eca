/**
 * The webhooks of an installation that its own daemon serves. Pure.
 *
 * @module
 */
import type { OrchObject } from "../../kit/orch/mod.ts";

/** A configuration of webhooks with the fields that are read. */
export interface WebhookConfiguration extends OrchObject {
  readonly webhooks?: readonly {
    readonly name: string;
    readonly clientConfig?: {
      readonly caBundle?: string;
      readonly service?: { readonly name: string; readonly namespace: string };
    };
  }[];
}

type Webhook = NonNullable<WebhookConfiguration["webhooks"]>[number];

/** The configurations with a webhook that a Service among the objects serves. */
export function webhooksOf(objects: readonly OrchObject[]): WebhookConfiguration[] {
  return objects.filter((one): one is WebhookConfiguration =>
    one.kind.endsWith("WebhookConfiguration") &&
    ((one as WebhookConfiguration).webhooks ?? []).some((webhook) => isOwn(webhook, objects))
  );
}

/** True if the daemon has written its authority into each of its webhooks. */
export function isServed(
  { webhooks = [] }: WebhookConfiguration,
  objects: readonly OrchObject[],
): boolean {
  return webhooks.every((webhook) =>
    !isOwn(webhook, objects) || (webhook.clientConfig?.caBundle ?? "") !== ""
  );
}

function isOwn({ clientConfig }: Webhook, objects: readonly OrchObject[]): boolean {
  const service = clientConfig?.service;
  return service !== undefined &&
    objects.some(({ kind, metadata }) =>
      kind === "Service" && metadata.name === service.name &&
      metadata.namespace === service.namespace
    );
}
