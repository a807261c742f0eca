/**
 * The version of an API server.
 *
 * @module
 */
import type { OrchClient } from "./client.ts";
import { OrchError } from "./error.ts";

/** A version, such as 1 and 33 of `v1.33.2`. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  /** As the server writes it. */
  readonly gitVersion: string;
}

/**
 * Reads `/version`. Vendors append to the minor version (`33+`).
 *
 * @throws OrchError also for an answer without a version
 */
export async function serverVersion(
  client: OrchClient,
  options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
): Promise<ServerVersion> {
  const { major, minor, gitVersion = "" } = await client.json<
    { readonly major?: string; readonly minor?: string; readonly gitVersion?: string }
  >({ path: "/version", ...options });
  const version = {
    major: Number.parseInt(major ?? ""),
    minor: Number.parseInt(minor ?? ""),
    gitVersion,
  };
  if (Number.isNaN(version.major) || Number.isNaN(version.minor)) {
    throw new OrchError("orch-status", `/version of ${client.access.server} names no version`, {
      status: 200,
      reason: "NoVersion",
    });
  }
  return version;
}
