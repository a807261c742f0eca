/**
 * Auth providers of users (`auth-provider`), which the client library asks for tokens.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import type { AuthProviderConfig } from "./kubeconfig.ts";

/** Providers that the library knows, which are options of their own. */
export const AUTH_PROVIDERS = ["azure", "gcp", "oidc"] as const;

/** A provider that the library knows. */
export type AuthProviderName = typeof AUTH_PROVIDERS[number];

/** Settings by which the library would read a file or run a program for any provider. */
const FOREIGN = ["exec", "tokenFile"];

/** Settings with which the library cannot renew tokens: its answers are none that it accepts itself. */
const AUTHORITIES = ["idp-certificate-authority", "idp-certificate-authority-data"];

/** @throws MeshError `orch-config` for a provider that is not known, or with settings of another one */
export function checkAuthProvider(at: string, { name, settings }: AuthProviderConfig): void {
  if (!isKnown(name)) {
    throw new MeshError("orch-config", `${at}: the auth provider ${name} is not supported`, {
      remedy: `Use a token, a client certificate, exec, or one of ${AUTH_PROVIDERS.join(", ")}.`,
    });
  }
  const wrong = (fault: string, remedy: string) =>
    new MeshError("orch-config", `${at}: the auth provider ${name} ${fault}`, { remedy });
  const issuer = settings["idp-issuer-url"];
  if (issuer !== undefined && !/^https:\/\/[^/]/.test(issuer)) {
    throw wrong("has an idp-issuer-url that is no address", "Write https://HOST.");
  }
  for (const setting of FOREIGN) {
    if (settings[setting] === undefined) continue;
    throw wrong(`has no setting ${setting}`, `Use ${setting} of the user, without auth-provider.`);
  }
  for (const setting of AUTHORITIES) {
    if (settings[setting] === undefined) continue;
    const remedy = "Name the file in DENO_CERT and remove the setting, or use exec.";
    throw wrong(`does not support the setting ${setting}`, remedy);
  }
}

/** The options that a provider uses: itself, and a program of its settings. */
export function optionsOfProvider(
  provider: AuthProviderConfig | undefined,
): (readonly [AuthProviderName | "exec", boolean])[] {
  if (provider === undefined) return [];
  const { name, settings } = provider;
  return [
    ...isKnown(name) ? [[name, true] as const] : [],
    ["exec", settings["cmd-path"] !== undefined],
  ];
}

function isKnown(name: string): name is AuthProviderName {
  return AUTH_PROVIDERS.some((one) => one === name);
}
