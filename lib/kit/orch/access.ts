/**
 * Access to one API server: its address, the trusted authorities and the credentials.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import { type ExecCredentials, execCredentials } from "./exec.ts";
import {
  AUTH_PROVIDERS,
  type AuthProviderName,
  checkAuthProvider,
  optionsOfProvider,
} from "./auth_provider.ts";
import type {
  AuthProviderConfig,
  ClusterConfig,
  ContextConfig,
  Kubeconfig,
  UserConfig,
} from "./kubeconfig.ts";
import { fileToken, fixedToken, type TokenSource } from "./token.ts";

/** Certificates of a connection, PEM. */
export interface TlsMaterial {
  /** Authorities of the server's certificate; empty: those of the runtime. */
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

/** User name and password. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** Settings that only the client library connects with. */
export interface SpecialAccess {
  /** The name in the server's certificate; empty: that of its address. */
  readonly tlsServerName: string;
  /** True: any certificate is accepted. */
  readonly insecureSkipVerify: boolean;
  readonly authProvider?: AuthProviderConfig;
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
  readonly basic?: BasicCredentials | undefined;
  /** URL of an HTTP or SOCKS proxy; empty: none. */
  readonly proxyUrl: string;
  readonly impersonate?: Impersonation;
  readonly special?: SpecialAccess | undefined;
}

/**
 * Parts of a configuration that run programs, read files, or send credentials to others than the
 * verified server, by the names of `PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS`.
 */
export type CredentialOption =
  | "exec"
  | "clientKey"
  | "clientCertificate"
  | "tokenFile"
  | "certificateAuthority"
  | "plaintextServer"
  | "proxyUrl"
  | "insecureSkipVerify"
  | AuthProviderName;

/** All of them: for configuration that comes from the user of the program. */
export const ALL_CREDENTIAL_OPTIONS: readonly CredentialOption[] = [
  "exec",
  "clientKey",
  "clientCertificate",
  "tokenFile",
  "certificateAuthority",
  "plaintextServer",
  "proxyUrl",
  "insecureSkipVerify",
  ...AUTH_PROVIDERS,
];

/** An option with the fault of a configuration that may not have it, and the remedy. */
interface Restricted {
  readonly option: CredentialOption;
  readonly isUsed: boolean;
  /** A clause about the configuration. */
  readonly fault: string;
  readonly remedy: string;
}

/** Selection of a context, and what overrides it. Empty values select nothing. */
export interface AccessOptions {
  readonly context?: string;
  readonly namespace?: string;
  readonly as?: string;
  readonly asGroups?: readonly string[];
  readonly asUid?: string;
  /** Parts that are allowed beside data in the file itself, and a server by `https`. */
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
  checkCluster(config, context.cluster, cluster, options.allowed);
  checkUser(config, context.user, user, options.allowed);
  const program = user.exec === undefined ? undefined : execCredentials(user.exec, cluster);
  return {
    server: cluster.server.replace(/\/+$/, ""),
    name,
    namespace: options.namespace || context.namespace || "default",
    tls: () => readTls(cluster, user, program),
    token: tokenOf(user, program),
    basic: user.username === undefined
      ? undefined
      : { username: user.username, password: user.password ?? "" },
    proxyUrl: cluster.proxyUrl,
    impersonate: impersonationOf(user, options),
    special: specialOf(cluster, user),
  };
}

function specialOf(
  cluster: ClusterConfig,
  { authProvider }: UserConfig,
): SpecialAccess | undefined {
  const { server, insecureSkipVerify } = cluster;
  const isOther = cluster.tlsServerName !== new URL(server).hostname;
  const tlsServerName = isOther ? cluster.tlsServerName : "";
  return tlsServerName !== "" || insecureSkipVerify || authProvider !== undefined
    ? { tlsServerName, insecureSkipVerify, authProvider }
    : undefined;
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

function checkCluster(
  { origin }: Kubeconfig,
  name: string,
  cluster: ClusterConfig,
  allowed: readonly CredentialOption[],
): void {
  const at = `${origin}: cluster ${JSON.stringify(name)}`;
  const wrong = (message: string, remedy: string) =>
    new MeshError("orch-config", `${at}: ${message}`, { remedy });
  if (!/^https?:\/\/[^/]/.test(cluster.server)) {
    throw wrong("server is not an address", "Write https://HOST:PORT.");
  }
  if (cluster.insecureSkipVerify && (cluster.caData ?? cluster.caFile) !== undefined) {
    throw wrong(
      "insecure-skip-tls-verify and an authority exclude each other",
      "Remove insecure-skip-tls-verify, so that the authority is used.",
    );
  }
  checkAllowed(at, optionsOfCluster(cluster), allowed);
}

function checkUser(
  { origin }: Kubeconfig,
  name: string,
  user: UserConfig,
  allowed: readonly CredentialOption[],
): void {
  const at = `${origin}: user ${JSON.stringify(name)}`;
  checkAllowed(at, optionsOfUser(user), allowed);
  checkPair(at, user);
  if (user.authProvider !== undefined) checkAuthProvider(at, user.authProvider);
  const given = Object.entries({
    "a token": user.token ?? user.tokenFile,
    "user name and password": user.username,
    "an auth provider": user.authProvider,
  }).filter(([, value]) => value !== undefined).map(([what]) => what);
  if (given.length > 1) {
    throw new MeshError("orch-config", `${at} has ${given.join(" and ")}`, {
      remedy: "Keep one of them.",
    });
  }
}

/** @throws MeshError `orch-config` for a certificate without a key, or a key without a certificate */
function checkPair(at: string, { certData, certFile, keyData, keyFile }: UserConfig): void {
  const [hasCert, hasKey] = [certData ?? certFile, keyData ?? keyFile].map((one) =>
    one !== undefined
  );
  if (hasCert === hasKey) return;
  const [has, lacks] = hasCert
    ? ["client-certificate", "client-key"]
    : ["client-key", "client-certificate"];
  throw new MeshError("orch-config", `${at} has ${has} and no ${lacks}`, {
    remedy: `Add ${lacks} or ${lacks}-data, or remove ${has}.`,
  });
}

/** @throws MeshError `orch-credential-refused` for a used option that is not allowed */
function checkAllowed(
  at: string,
  options: readonly Restricted[],
  allowed: readonly CredentialOption[],
): void {
  for (const { option, isUsed, fault, remedy } of options) {
    if (!isUsed || allowed.includes(option)) continue;
    throw new MeshError("orch-credential-refused", `${at} ${fault}, which is not allowed`, {
      remedy: `${remedy}; or allow it with ${option} in ` +
        "PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS.",
    });
  }
}

function optionsOfUser(user: UserConfig): readonly Restricted[] {
  const remedy = "Use token, client-certificate-data and client-key-data";
  const uses: readonly (readonly [CredentialOption, boolean])[] = [
    ["exec", user.exec !== undefined],
    ["clientKey", user.keyFile !== undefined && user.keyData === undefined],
    ["clientCertificate", user.certFile !== undefined && user.certData === undefined],
    ["tokenFile", user.tokenFile !== undefined],
    ...optionsOfProvider(user.authProvider),
  ];
  return uses.map(([option, isUsed]) => ({ option, isUsed, fault: `uses ${option}`, remedy }));
}

function optionsOfCluster(cluster: ClusterConfig): Restricted[] {
  const { server, caFile, caData, proxyUrl, insecureSkipVerify } = cluster;
  return [
    {
      option: "plaintextServer",
      isUsed: server.startsWith("http:"),
      fault: "has a server without TLS, to which credentials would be sent in plain text",
      remedy: "Write https://HOST:PORT",
    },
    {
      option: "certificateAuthority",
      isUsed: caFile !== undefined && caData === undefined,
      fault: "has the file certificate-authority",
      remedy: "Use certificate-authority-data",
    },
    {
      option: "insecureSkipVerify",
      isUsed: insecureSkipVerify,
      fault: "has insecure-skip-tls-verify, by which anybody may receive the credentials",
      remedy: "Give the authority of the server in certificate-authority-data",
    },
    {
      option: "proxyUrl",
      isUsed: proxyUrl !== "",
      fault: "has a proxy-url",
      remedy: "Use an address of the server that the daemon reaches directly",
    },
  ];
}

/** A token file precedes a token, as in the orchestrator's tools. */
function tokenOf(
  { token, tokenFile }: UserConfig,
  program: ExecCredentials | undefined,
): TokenSource | undefined {
  if (tokenFile !== undefined) return fileToken(tokenFile);
  if (token !== undefined) return fixedToken(token);
  return program;
}

async function readTls(
  cluster: ClusterConfig,
  user: UserConfig,
  program: ExecCredentials | undefined,
): Promise<TlsMaterial> {
  const ca = cluster.caData ?? await readFile(cluster.caFile) ?? "";
  const cert = user.certData ?? await readFile(user.certFile);
  const key = user.keyData ?? await readFile(user.keyFile);
  if (cert !== undefined && key !== undefined) return { ca, cert, key };
  const { token, tokenFile } = user;
  const printed = token ?? tokenFile;
  return { ca, ...printed === undefined ? await program?.certificate() : {} };
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
