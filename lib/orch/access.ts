/**
 * Access to one API server: its address, the trusted authorities and the credentials.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import { execToken } from "./exec.ts";
import type { ClusterConfig, ContextConfig, Kubeconfig, UserConfig } from "./kubeconfig.ts";
import { fileToken, fixedToken, type TokenSource } from "./token.ts";

/** Certificates of a connection, PEM. */
export interface TlsMaterial {
  /** Authorities of the server's certificate, beside those of the runtime; empty: those alone. */
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Impersonated identity of requests. */
export interface Impersonation {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid: string;
}

/** Access to one API server. */
export interface Access {
  /** URL without a slash at its end. */
  readonly server: string;
  /** Name of the context, or `in-cluster`. */
  readonly name: string;
  /** Namespace of requests that name none. */
  readonly namespace: string;
  /** Reads certificates; called again when connections are renewed, because files change. */
  readonly tls: () => Promise<TlsMaterial>;
  readonly token?: TokenSource;
  /** URL of an HTTP proxy; empty: none. */
  readonly proxyUrl: string;
  readonly impersonate?: Impersonation;
}

/**
 * Sorts of credentials that run programs or read files, by the names of
 * `PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS`.
 */
export type CredentialOption = "exec" | "clientKey" | "clientCertificate" | "tokenFile";

/** All of them: for configuration that comes from the user of the program. */
export const ALL_CREDENTIAL_OPTIONS: readonly CredentialOption[] = [
  "exec",
  "clientKey",
  "clientCertificate",
  "tokenFile",
];

/** Selection of a context, and what overrides it. Empty values select nothing. */
export interface AccessOptions {
  readonly context?: string;
  readonly namespace?: string;
  readonly as?: string;
  readonly asGroups?: readonly string[];
  readonly asUid?: string;
  /** Credentials that are allowed beside data in the file itself. */
  readonly allowed: readonly CredentialOption[];
}

/**
 * The access that a kubeconfig describes.
 *
 * @throws MeshError `orch-config` for contexts, clusters or users that are missing, incomplete or not
 * supported; `orch-credential-refused` for credentials that are not allowed
 */
export function accessOf(config: Kubeconfig, options: AccessOptions): Access {
  const name = options.context || config.currentContext;
  const context = contextOf(config, name);
  const cluster = namedPart(config, config.clusters, { part: "cluster", name: context.cluster });
  const user = context.user === ""
    ? { asGroups: [] }
    : namedPart(config, config.users, { part: "user", name: context.user });
  checkCluster(config, context.cluster, cluster);
  checkUser(config, context.user, user, options.allowed);
  return {
    server: cluster.server.replace(/\/+$/, ""),
    name,
    namespace: options.namespace || context.namespace || "default",
    tls: () => readTls(cluster, user),
    token: tokenOf(user),
    proxyUrl: cluster.proxyUrl,
    impersonate: impersonationOf(user, options),
  };
}

function contextOf(config: Kubeconfig, name: string): ContextConfig {
  const found = config.contexts.get(name);
  if (found !== undefined) return found;
  const names = [...config.contexts.keys()].join(", ") || "none";
  const message = name === ""
    ? `${config.origin} has no current context`
    : `${config.origin} has no context ${JSON.stringify(name)}`;
  throw new MeshError("orch-config", message, { remedy: `Name a context; there are: ${names}.` });
}

function namedPart<T>(
  config: Kubeconfig,
  parts: ReadonlyMap<string, T>,
  { part, name }: { readonly part: string; readonly name: string },
): T {
  const found = parts.get(name);
  if (found !== undefined) return found;
  throw new MeshError(
    "orch-config",
    `${config.origin} has no ${part} ${JSON.stringify(name)}, which a context names`,
    { remedy: `Add the ${part}, or use another context.` },
  );
}

function checkCluster({ origin }: Kubeconfig, name: string, cluster: ClusterConfig): void {
  const wrong = (message: string, remedy: string) =>
    new MeshError("orch-config", `${origin}: cluster ${JSON.stringify(name)}: ${message}`, {
      remedy,
    });
  if (!/^https?:\/\/[^/]/.test(cluster.server)) {
    throw wrong("server is not an address", "Write https://HOST:PORT.");
  }
  if (cluster.insecureSkipVerify) {
    throw wrong(
      "insecure-skip-tls-verify is not supported",
      "Give the authority of the server's certificate in certificate-authority-data.",
    );
  }
  const host = new URL(cluster.server).hostname;
  if (cluster.tlsServerName !== "" && cluster.tlsServerName !== host) {
    throw wrong(
      "tls-server-name with another name than the server's is not supported",
      "Use a server address that its certificate has.",
    );
  }
}

function checkUser(
  { origin }: Kubeconfig,
  name: string,
  user: UserConfig,
  allowed: readonly CredentialOption[],
): void {
  const at = `${origin}: user ${JSON.stringify(name)}`;
  for (const [used, option] of optionsOf(user)) {
    if (!used || allowed.includes(option)) continue;
    throw new MeshError("orch-credential-refused", `${at} uses ${option}, which is not allowed`, {
      remedy: "Use token, client-certificate-data and client-key-data; " +
        "or allow it with PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS.",
    });
  }
  const unsupported = user.authProvider === undefined
    ? user.username === undefined ? undefined : "username and password"
    : `the auth provider ${user.authProvider}`;
  if (unsupported !== undefined) {
    throw new MeshError("orch-config", `${at}: ${unsupported} is not supported`, {
      remedy: "Use a token, a client certificate or exec.",
    });
  }
}

function optionsOf(user: UserConfig): readonly (readonly [boolean, CredentialOption])[] {
  return [
    [user.exec !== undefined, "exec"],
    [user.keyFile !== undefined && user.keyData === undefined, "clientKey"],
    [user.certFile !== undefined && user.certData === undefined, "clientCertificate"],
    [user.tokenFile !== undefined, "tokenFile"],
  ];
}

/** A token file precedes a token, as in the orchestrator's tools. */
function tokenOf({ token, tokenFile, exec }: UserConfig): TokenSource | undefined {
  if (tokenFile !== undefined) return fileToken(tokenFile);
  if (token !== undefined) return fixedToken(token);
  return exec === undefined ? undefined : execToken(exec);
}

async function readTls(cluster: ClusterConfig, user: UserConfig): Promise<TlsMaterial> {
  const ca = cluster.caData ?? await readFile(cluster.caFile) ?? "";
  const cert = user.certData ?? await readFile(user.certFile);
  const key = user.keyData ?? await readFile(user.keyFile);
  return cert === undefined || key === undefined ? { ca } : { ca, cert, key };
}

async function readFile(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : await Deno.readTextFile(path);
}

function impersonationOf(user: UserConfig, options: AccessOptions): Impersonation | undefined {
  const name = options.as || user.as;
  if (name === undefined) {
    if ((options.asGroups?.length ?? 0) === 0 && !options.asUid) return undefined;
    throw new MeshError("orch-config", "a group or UID to impersonate without a user", {
      remedy: "Name the user to impersonate, too.",
    });
  }
  const groups = options.asGroups?.length ? options.asGroups : user.asGroups;
  return { user: name, groups, uid: options.asUid || user.asUid || "" };
}
