/**
 * The listeners of the agent, for people and probes.
 *
 * @module
 */
import {
  reopenOnSignal,
  startIntrospection,
  USER_SIGNAL,
} from "../../lib/insight/introspect/mod.ts";
import { openListener } from "../../lib/kit/cli/mod.ts";
import { startProcessMetrics } from "../../lib/kit/metrics/mod.ts";
import { type Route, startWeb } from "../../lib/kit/web/mod.ts";
import { type Health, healthRoutes, monitoringRoutes } from "./health.ts";
import type { InstallOptions } from "./options.ts";

/** Time for answers in progress when a listener ends, milliseconds. */
const GRACE_MS = 1_000;

/**
 * Opens health, monitoring and introspection until `stack` is disposed of.
 *
 * @param stop ends the program
 * @throws MeshError when an address cannot be bound
 */
export async function openListeners(
  options: InstallOptions,
  { health, stop }: { readonly health: Health; readonly stop: () => void },
  stack: AsyncDisposableStack,
): Promise<void> {
  const { healthPort, monitoringPort, nodeName } = options;
  stack.use(reopenOnSignal());
  const open = async (by: string, port: number, routes: readonly Route[]) => {
    const address = `:${port}`;
    const web = await openListener(
      { by, address },
      () => startWeb({ name: by, address, routes }),
    );
    stack.defer(() => web.stop(GRACE_MS));
  };
  await open("health", healthPort, healthRoutes(health, nodeName));
  startProcessMetrics();
  if (monitoringPort !== 0) await open("monitoring", monitoringPort, monitoringRoutes());
  if (options.ctrlzPort === 0) return;
  const web = await startIntrospection(
    { address: options.ctrlzAddress, port: options.ctrlzPort },
    { program: "install-cni", stop, userSignal: USER_SIGNAL, now: () => Date.now() },
  );
  stack.defer(() => web.stop(GRACE_MS));
}
