/**
 * The self-check of validation: an object that the webhook refuses is created on trial.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { collectionPath, type OrchClient } from "../../kit/orch/mod.ts";
import { ALWAYS_REJECT, REJECTED_TEXT } from "./validation.ts";

/** Longest wait for the API server, in milliseconds. */
const TIMEOUT_MS = 30_000;

/**
 * Creates the object with \`dryRun\`, so that nothing is stored.
 *
 * @returns `undefined` if the webhook refused it, else the reason why that is not shown
 */
export async function isSelfCheckRefused(
  client: OrchClient,
  { namespace, revision, signal }: {
    readonly namespace: string;
    readonly revision: string;
    readonly signal: AbortSignal;
  },
): Promise<string | undefined> {
  const path = collectionPath({
    group: "networking.mesh.io",
    version: "v1",
    kind: "Gateway",
    plural: "gateways",
    namespaced: true,
  }, namespace);
  const object = {
    apiVersion: "networking.mesh.io/v1",
    kind: "Gateway",
    metadata: {
      generateName: "mesh-webhook-check-",
      namespace,
      labels: { [ALWAYS_REJECT]: "true", [REVISION_LABEL]: revision },
    },
    spec: {
      selector: { app: "mesh-webhook-check" },
      servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["check.invalid"] }],
    },
  };
  try {
    await client.json({
      method: "POST",
      path,
      query: { dryRun: "All" },
      body: object,
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    return "the object was accepted without a call";
  } catch (error) {
    const message = messageOf(error);
    return message.includes(REJECTED_TEXT) ? undefined : message;
  }
}
