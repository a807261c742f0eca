/**
 * Cases of the security suite and their calls.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, type CallOptions, eventually } from "../../../scripts/harness/mod.ts";
import { CLIENT, type SecurityWorld, SERVER } from "./world.ts";

/** A case: policies, and what callers meet under them. */
export interface SecurityCase {
  readonly name: string;
  readonly run: (world: SecurityWorld) => Promise<void>;
}

/** A call through the client's proxy, and so under mutual TLS where the server takes it; its status, 0 for none. */
export function throughMesh(
  world: SecurityWorld,
  path: string,
  options: CallOptions = {},
): Promise<number> {
  return statusOf(`http://${CLIENT}:${world.http}${path}`, { host: "shop.test", ...options });
}

/** A call straight to the server's proxy, in plain text. */
export function inPlain(
  world: SecurityWorld,
  path: string,
  options: CallOptions = {},
): Promise<number> {
  return statusOf(`http://${SERVER}:${world.http}${path}`, { host: "shop.test", ...options });
}

async function statusOf(url: string, options: CallOptions): Promise<number> {
  try {
    return (await call(url, options)).status;
  } catch {
    return 0;
  }
}

/** Waits until a call gives a status: listeners that change drain for a moment. */
export async function becomes(
  what: string,
  wanted: number,
  act: () => Promise<number>,
): Promise<void> {
  let last: number | undefined;
  try {
    await eventually(`${what} to give ${wanted}`, async () => {
      last = await act();
      return last === wanted;
    });
  } catch {
    assert.equal(last, wanted, what);
  }
}
