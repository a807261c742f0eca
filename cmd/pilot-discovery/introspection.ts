/**
 * The introspection listener and the profiles, as the flags ask for them.
 *
 * @module
 */
import {
  PROFILE_LIMITS,
  profileRoutes,
  reopenOnSignal,
  startIntrospection,
  USER_SIGNAL,
} from "../../lib/insight/introspect/mod.ts";
import type { WebOptions } from "../../lib/kit/web/mod.ts";
import type { DiscoveryOptions } from "./options.ts";

/**
 * Opens the listener, unless its port is 0, and handles SIGUSR1, until `stack` is disposed of.
 *
 * @param stop ends the daemon
 */
export async function openIntrospection(
  { ctrlzAddress, ctrlzPort }: DiscoveryOptions,
  stop: () => void,
  stack: AsyncDisposableStack,
): Promise<void> {
  stack.use(reopenOnSignal());
  if (ctrlzPort === 0) return;
  const web = await startIntrospection({ address: ctrlzAddress, port: ctrlzPort }, {
    program: "pilot-discovery",
    stop,
    userSignal: USER_SIGNAL,
    now: () => Date.now(),
  });
  // The request that asked it to stop may still be answered.
  stack.defer(() => web.stop(1_000));
}

/** Routes and limits that `--profile` adds to the HTTP listener. */
export function withProfiles(
  { profile }: DiscoveryOptions,
): Pick<WebOptions, "limits" | "routes"> {
  return profile ? { routes: profileRoutes(), limits: PROFILE_LIMITS } : { routes: [] };
}
