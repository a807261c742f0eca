/**
 * Introspection of a process: logging, memory, environment, command line and version, and the
 * settings that can be changed at run time.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { openListener } from "../../kit/cli/mod.ts";
import { formatAddress, type Route, startWeb, type WebServer } from "../../kit/web/mod.ts";
import { homeRoutes } from "./home.ts";
import type { IntrospectInputs } from "./inputs.ts";
import { countCollections, memoryRoutes } from "./memory.ts";
import { processRoutes } from "./process.ts";
import { PROFILE_LIMITS, profileRoutes } from "./profile.ts";
import { scopeRoutes } from "./scopes.ts";

export type { IntrospectInputs } from "./inputs.ts";
export { PROFILE_LIMITS, profileRoutes } from "./profile.ts";
export { reopenOnSignal, USER_SIGNAL } from "./reopen.ts";

/** The listener's address: `--ctrlz_address` (`*` means all addresses) and `--ctrlz_port`. */
export interface IntrospectAddress {
  readonly address: string;
  readonly port: number;
}

/** All pages and documents, profiles included. */
export function introspectionRoutes(inputs: IntrospectInputs): Route[] {
  const collections = countCollections();
  return [
    ...homeRoutes(inputs, collections),
    ...scopeRoutes(),
    ...memoryRoutes(collections),
    ...processRoutes(),
    ...profileRoutes(),
  ];
}

/**
 * Starts the listener.
 *
 * @throws {MeshError} `address-invalid` or `listen-failed`, with the flags in the remedy
 */
export async function startIntrospection(
  { address, port }: IntrospectAddress,
  inputs: IntrospectInputs,
): Promise<WebServer> {
  const where = formatAddress({ hostname: address, port });
  const remedy = "Its flags are --ctrlz_address and --ctrlz_port; port 0 switches it off.";
  return await openListener({ by: "introspection", address: where, remedy }, async () => {
    // For other listeners an empty host means all addresses; here only `*` does.
    if (address === "") throw new MeshError("address-invalid", "the address is empty");
    return await startWeb({
      name: "introspection",
      address: where,
      routes: introspectionRoutes(inputs),
      limits: PROFILE_LIMITS,
    });
  });
}
