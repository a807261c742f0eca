/**
 * The introspection listener and the profiles, as far as the flags ask for them.
 *
 * @module
 */
import { messageOf } from "../../lib/base/mod.ts";
import { PROFILE_LIMITS, profileRoutes, startIntrospection } from "../../lib/introspect/mod.ts";
import { reopenLogging, scope } from "../../lib/log/mod.ts";
import type { WebOptions } from "../../lib/web/mod.ts";
import type { DiscoveryOptions } from "./options.ts";

const log = scope("default");

/**
 * Opens the listener unless its port is 0, and takes SIGUSR1, until `stack` is disposed.
 *
 * @param stop asks the daemon to end
 */
export async function openIntrospection(
  { ctrlzAddress, ctrlzPort }: DiscoveryOptions,
  stop: () => void,
  stack: AsyncDisposableStack,
): Promise<void> {
  Deno.addSignalListener("SIGUSR1", reopen);
  stack.defer(() => Deno.removeSignalListener("SIGUSR1", reopen));
  if (ctrlzPort === 0) return;
  const web = await startIntrospection({ address: ctrlzAddress, port: ctrlzPort }, {
    program: "pilot-discovery",
    stop,
    userSignal: "Opens the files of --log_target again, as is needed after they were moved away.",
    now: () => Date.now(),
  });
  // It was asked to stop by a request on it, whose answer has little left to wait for.
  stack.defer(() => web.stop(1_000));
}

function reopen(): void {
  try {
    reopenLogging();
    log.info("opened the log's targets again, on SIGUSR1");
  } catch (error) {
    log.error("the log goes on in the files that are open", { error: messageOf(error) });
  }
}

/** What `--profile` adds to the HTTP listener. */
export function withProfiles(
  { profile }: DiscoveryOptions,
): Pick<WebOptions, "limits" | "routes"> {
  return profile ? { routes: profileRoutes(), limits: PROFILE_LIMITS } : { routes: [] };
}
