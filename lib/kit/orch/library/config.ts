/**
 * The configuration of the library for one access.
 *
 * @module
 */
import type { Agent, RequestOptions } from "node:https";
import { MeshError, messageOf, printable } from "../../base/mod.ts";
import type { Access } from "../access.ts";
import type { AuthProviderConfig } from "../kubeconfig.ts";
import { impersonationHeaders, ownAuthorization } from "../credentials.ts";
import { type Library, loadLibrary } from "./load.ts";

type KubeConfig = InstanceType<Library["KubeConfig"]>;

/** Longest text of an auth provider in an error, in characters. */
const MAX_TEXT = 500;
const ISSUER = "idp-issuer-url";
const NAMES = { cluster: "cluster", user: "user", name: "context" } as const;

/** Options of requests to one server, as the library makes them. */
export interface LibraryConfig {
  /** With a connection that all requests share, and with fresh credentials. */
  options(): Promise<RequestOptions>;
  /** A configuration for other parts of the library, with the same options. */
  readonly config: KubeConfig;
  close(): void;
}

/**
 * Makes the library's configuration; certificates are read now, tokens for each request.
 *
 * The library sets the server's name and authorities on every connection, goes through proxies, and asks auth
 * providers. Mesh reads files and runs programs (`exec`) itself, see decision 0034.
 */
export async function libraryConfig(access: Access): Promise<LibraryConfig> {
  const { KubeConfig } = await loadLibrary();
  const { ca, cert, key } = await access.tls();
  const { tlsServerName = "", insecureSkipVerify = false, authProvider } = access.special ?? {};
  const cluster = {
    name: NAMES.cluster,
    server: access.server,
    // The library refuses servers without TLS unless nothing is to be verified.
    skipTLSVerify: insecureSkipVerify || access.server.startsWith("http:"),
    ...ca !== "" && { caData: base64(ca) },
    ...tlsServerName !== "" && { tlsServerName },
    ...access.proxyUrl !== "" && { proxyUrl: access.proxyUrl },
  };
  const user = {
    name: NAMES.user,
    ...cert !== undefined && { certData: base64(cert) },
    ...key !== undefined && { keyData: base64(key) },
    ...authProvider !== undefined && { authProvider: providerOf(authProvider) },
  };
  // A new one for each request: one that has renewed an OIDC token would renew it for every request.
  const newConfig = (): KubeConfig => {
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [cluster],
      users: [user],
      contexts: [{ ...NAMES }],
      currentContext: NAMES.name,
    });
    return config;
  };
  let agent: Agent | undefined;
  let asking: Promise<RequestOptions> | undefined;
  const ask = async (): Promise<RequestOptions> => {
    const made: RequestOptions = {};
    await asked(access, async () => {
      await newConfig().applyToHTTPSOptions(made as never);
      const { Authorization } = (made.headers ?? {}) as Record<string, unknown>;
      if (authProvider !== undefined && Authorization === undefined) {
        throw new Error("it has no valid token, and cannot renew one");
      }
    });
    agent ??= lasting(made.agent as Agent);
    return { ...made, agent };
  };
  const options = async (): Promise<RequestOptions> => {
    // Requests at the same time share an answer: a provider's token may be renewed only once.
    asking ??= ask().finally(() => asking = undefined);
    const made = await asking;
    return { ...made, headers: { ...made.headers as object, ...await ownHeaders(access) } };
  };
  const config = newConfig();
  config.applyToHTTPSOptions = async (given) => void Object.assign(given, await options());
  return { options, config, close: () => agent?.destroy() };
}

/** A provider with settings into which the library writes renewed tokens. */
interface LibraryProvider {
  readonly name: string;
  readonly config: Record<string, string | URL>;
}

const providers = new WeakMap<AuthProviderConfig, LibraryProvider>();

/** The same for all connections of a user: a token for renewal counts once. */
function providerOf(provider: AuthProviderConfig): LibraryProvider {
  const before = providers.get(provider);
  if (before !== undefined) return before;
  const { name, settings } = provider;
  const issuer = settings[ISSUER];
  const made = {
    name,
    // The library passes the text on to a function that takes a URL alone.
    config: { ...settings, ...issuer !== undefined && { [ISSUER]: new URL(issuer) } },
  };
  providers.set(provider, made);
  return made;
}

/** The library makes a connection for each request; this keeps them. */
function lasting(agent: Agent): Agent {
  return Object.assign(agent, { keepAlive: true });
}

/** Headers of credentials that are Mesh's own to read. */
async function ownHeaders(access: Access): Promise<Record<string, string | string[]>> {
  const authorization = await ownAuthorization(access);
  const headers: Record<string, string | string[]> = {
    ...authorization !== "" && { Authorization: authorization },
  };
  for (const [name, value] of impersonationHeaders(access)) {
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

/** Asks the auth provider, if there is one, in words of this project. */
async function asked({ special, name }: Access, ask: () => Promise<void>): Promise<void> {
  const provider = special?.authProvider?.name;
  try {
    await ask();
  } catch (cause) {
    if (provider === undefined) throw cause;
    const said = printable(messageOf(cause).slice(0, MAX_TEXT));
    throw new MeshError("orch-auth-provider", `${name}: auth provider ${provider}: ${said}`, {
      // The runtime reads all variables for a program of the library.
      remedy: said.includes("--allow-env")
        ? "Use exec, or run with --allow-env."
        : "Log in again with the orchestrator's tools, or use a token or exec.",
      cause,
    });
  }
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
