/**
 * The demo's steps of identity: servers see their callers' identities, and refuse one of them.
 *
 * @module
 */
import { call, type ConfigDir } from "../harness/mod.ts";
import { ADDRESSES, type DemoPorts, DENY_GUEST, HOST, principalOf } from "./config.ts";
import type { Narrator } from "./narrator.ts";

/** The parts that the steps use. */
export interface IdentityScene {
  readonly narrator: Narrator;
  readonly config: ConfigDir;
  readonly ports: DemoPorts;
}

/** Runs the steps. The policy of the last one stays. */
export async function identitySteps({ narrator, config, ports }: IdentityScene): Promise<void> {
  const { client, guest, gateway, plain } = callers(ports);
  await narrator.step(
    "Mutual TLS: the backend sees each caller's identity, and plain text is refused",
    () => Promise.resolve(),
    async () => {
      const seen = [await client(), await guest(), await gateway()].map(({ identity }) => identity);
      const { status } = await plain();
      return {
        seen: `${seen.join(", ")}; plain text: ${status === 0 ? "closed" : status}`,
        ok: seen.join() === ["client", "guest", "ingress"].map(identityOf).join() && status === 0,
      };
    },
  );
  await narrator.step("One caller is denied by its identity", async () => {
    narrator.show("no-guests.yaml", DENY_GUEST);
    await config.write("no-guests.yaml", DENY_GUEST);
  }, async () => {
    const statuses = [await client(), await guest(), await gateway()].map(({ status }) => status);
    return {
      seen: `client: ${statuses[0]}, guest: ${statuses[1]}, from outside: ${statuses[2]}`,
      ok: statuses.join() === "200,403,200",
    };
  });
}

/** The SPIFFE id of a caller of the demo. */
export function identityOf(account: string): string {
  return `spiffe://${principalOf(account)}`;
}

/** Requests through the proxies of the callers, and one around them. */
function callers({ shop, ingress, v1 }: DemoPorts) {
  const host = `${HOST}:${shop}`;
  return {
    client: () => callOnce(`http://127.0.0.1:${shop}/`, host),
    guest: () => callOnce(`http://${ADDRESSES.guest}:${shop}/`, host),
    gateway: () => callOnce(`http://127.0.0.1:${ingress}/`, HOST),
    plain: () => callOnce(`http://${ADDRESSES.v1}:${v1}/`, host),
  };
}

/** The status, 0 without an answer, and the identity that the backend was told. */
export async function callOnce(
  url: string,
  host: string,
): Promise<{ readonly status: number; readonly identity: string }> {
  try {
    const { status, echo } = await call(url, { host });
    const header = echo?.headers["x-forwarded-client-cert"] ?? "";
    return { status, identity: /URI=([^;,]+)/.exec(header)?.[1] ?? "unknown" };
  } catch {
    return { status: 0, identity: "unknown" };
  }
}
