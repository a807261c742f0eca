/**
 * Service accounts as tokens name them.
 *
 * @module
 */
import type { SpiffeId } from "../../kit/pki/mod.ts";

/** Largest token that is read, characters. */
export const MAX_TOKEN: number = 16 * 1024;

/** The user name of a service account: `system:serviceaccount:NAMESPACE:NAME`. */
const NAME = /^system:serviceaccount:([a-z0-9.-]{1,253}):([a-z0-9.-]{1,253})$/;

/** The service account of a user name or a token's subject; `undefined` for other users. */
export function serviceAccountOf(name: string): Omit<SpiffeId, "trustDomain"> | undefined {
  const [, namespace, serviceAccount] = NAME.exec(name) ?? [];
  if (namespace === undefined || serviceAccount === undefined) return undefined;
  return { namespace, serviceAccount };
}
