import { sleep } from "../../kit/async/mod.ts";
import { MeshError, printable } from "../../kit/base/mod.ts";
import { type Invocation, usageError } from "../../kit/cli/mod.ts";
import {
  applyObject,
  createObject,
  getObject,
  isNotFound,
  type OrchClient,
  type OrchObject,
  type ResourceType,
  types,
} from "../../kit/orch/mod.ts";
import { isDnsSubdomain } from "../../kit/text/mod.ts";
import { daemonRoles, readerRoles, type RoleObject } from "../roles/mod.ts";
import { type Credentials, secretText, type SecretType } from "./secret.ts";

/** The cluster that the secret leads to. */
export interface SourceCluster {
  readonly client: OrchClient;
  /** Namespace of the control plane. */
  readonly meshNamespace: string;
  readonly signal: AbortSignal | undefined;
}

const MANAGER = "meshctl";
const ACCOUNTS: Readonly<Record<SecretType, string>> = {
  remote: "mesh-reader-service-account",
  config: "meshd",
};
/** Annotation of a token's secret with its service account. */
const ACCOUNT_ANNOTATION = "kubernetes.io/service-account.name";
const TOKEN_TYPE = "kubernetes.io/service-account-token";
/** Number of times that the secret of a token is read until it has one, and the milliseconds between. */
const READS = 10;
const READ_MS = 1000;
/** API group of ServiceExports and ServiceImports, unless a daemon has another one. */
const SHARING_GROUP = "multicluster.x-orch.io";
const CLUSTER_ROLES = { group: "rbac.authorization.k8s.io", version: "v1" } as const;

/** Prints a secret with access to the cluster. The cluster gets the account's token, if it has none. */
export async function createRemoteSecret(
  call: Invocation,
  open: () => Promise<SourceCluster & Disposable>,
): Promise<number> {
  const { flags, io } = call;
  checkFlags(call);
  if (flags.given.has("manifests")) {
    io.err("Warning: --manifests has no effect: the roles of the account are built in\n");
  }
  using cluster = await open();
  const { client, meshNamespace: namespace } = cluster;
  const type = flags.string("type") as SecretType;
  const account = flags.given.has("service-account")
    ? flags.string("service-account")
    : ACCOUNTS[type];
  const name = flags.string("name") || await uidOf(client, namespace);
  if (flags.bool("create-service-account")) await createAccount(cluster, type, account);
  const { token, ca } = await tokenOf(cluster, account, flags.string("secret-name"));
  const server = serverUrl(flags.string("server") || client.access.server);
  warnLocal(server, (text) => io.err(printable(`Warning: ${text}`) + "\n"));
  const plugin = flags.string("auth-plugin-name");
  const credentials: Credentials = plugin === ""
    ? { token }
    : { plugin, settings: Object.fromEntries(flags.map("auth-plugin-config")) };
  io.out(secretText({ name, type, server, ca, credentials, namespace }));
  return 0;
}

function checkFlags({ command, flags }: Invocation): void {
  const isPlugin = flags.string("auth-type") === "plugin";
  for (const name of ["auth-plugin-name", "auth-plugin-config"]) {
    if (!flags.given.has(name) || isPlugin) continue;
    throw usageError(`--${name} needs --auth-type=plugin`, `Add it, or leave --${name} out.`);
  }
  if (isPlugin && flags.string("auth-plugin-name") === "") {
    throw usageError(
      "--auth-type=plugin needs --auth-plugin-name",
      `For example: ${command} --auth-type=plugin --auth-plugin-name=oidc.`,
    );
  }
  const name = flags.string("name");
  if (name !== "" && !isDnsSubdomain(name)) {
    throw usageError(
      `--name: ${JSON.stringify(name)} cannot be part of the secret's name`,
      "Use small letters, digits, - and . for the name of the cluster.",
    );
  }
  const server = flags.string("server");
  if (server !== "") serverUrl(server);
}

/** The URL of an address and port, or of a URL. Daemons read clusters by `https` only. */
function serverUrl(text: string): string {
  const url = text.includes("://") ? text : `https://${text}`;
  if (URL.canParse(url) && new URL(url).protocol === "https:") return url;
  throw usageError(
    `${JSON.stringify(text)} is no address of an API server by https`,
    "Write --server HOST:PORT, or --server https://HOST:PORT.",
  );
}

function warnLocal(server: string, warn: (text: string) => void): void {
  const { hostname } = new URL(server);
  if (!/^(localhost|127\..*|\[::1\])$/.test(hostname)) return;
  warn(
    `${server} is an address of this machine, which daemons elsewhere cannot reach: ` +
      "--server names another one",
  );
}

async function uidOf(client: OrchClient, namespace: string): Promise<string> {
  const { metadata } = await found(
    getObject<OrchObject>(client, types.NAMESPACE, { name: namespace }),
    `there is no namespace ${namespace}`,
    "Give --name for the cluster and --meshNamespace for the namespace of the control plane.",
  );
  return metadata.uid ?? "";
}

/** Creates the account with its roles, or changes the roles to those that a daemon needs. */
async function createAccount(
  { client, meshNamespace: namespace }: SourceCluster,
  type: SecretType,
  account: string,
): Promise<void> {
  const options = {
    ...{ namespace, account, signers: [], sharingGroup: SHARING_GROUP },
    ...{ untaint: false, autoExport: false, deployGateways: type === "config" },
  };
  for (const object of (type === "remote" ? readerRoles : daemonRoles)(options)) {
    const at = typeOf(object);
    await found(
      applyObject(client, at, object, { manager: MANAGER }),
      `there is no namespace ${namespace} for the service account`,
      "Create it, or give --meshNamespace.",
    );
  }
}

function typeOf({ kind }: RoleObject): ResourceType {
  if (kind === types.SERVICE_ACCOUNT.kind) return types.SERVICE_ACCOUNT;
  return {
    ...CLUSTER_ROLES,
    ...{ kind, plural: `${kind.toLowerCase()}s`, namespaced: !kind.startsWith("Cluster") },
  };
}

interface TokenSecret extends OrchObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** The token of an account and the authority of the API server, of a secret that lasts. */
async function tokenOf(
  cluster: SourceCluster,
  account: string,
  secret: string,
): Promise<{ readonly token: string; readonly ca: string }> {
  const { client, meshNamespace: namespace, signal } = cluster;
  await found(
    getObject<OrchObject>(client, types.SERVICE_ACCOUNT, { namespace, name: account }),
    `there is no service account ${account} in namespace ${namespace}`,
    "Add --create-service-account, or name another one with --service-account.",
  );
  const name = secret || `${account}-mesh-remote-secret-token`;
  for (let reads = 0; reads < READS; reads++) {
    const read = await secretOf(cluster, account, { name, mayCreate: secret === "" });
    const [token, ca] = ["token", "ca.crt"].map((key) => decoded(read.data?.[key]));
    if (token && ca) return { token, ca };
    await sleep(READ_MS, signal);
    signal?.throwIfAborted();
  }
  throw new MeshError(
    "no-token",
    `the secret ${namespace}/${name} has no token after ${READS * READ_MS / 1000} s`,
    { remedy: "The controller manager of the cluster writes it: check that one runs." },
  );
}

async function secretOf(
  { client, meshNamespace: namespace }: SourceCluster,
  account: string,
  { name, mayCreate }: { readonly name: string; readonly mayCreate: boolean },
): Promise<TokenSecret> {
  let secret: TokenSecret;
  try {
    secret = await getObject<TokenSecret>(client, types.SECRET, { namespace, name });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (!mayCreate) {
      throw new MeshError("no-secret", `there is no secret ${name} in namespace ${namespace}`, {
        remedy: "Leave --secret-name out, and one is created.",
      });
    }
    const metadata = { namespace, name, annotations: { [ACCOUNT_ANNOTATION]: account } };
    const object = { apiVersion: "v1", kind: "Secret", metadata, type: TOKEN_TYPE };
    return await createObject<TokenSecret>(client, types.SECRET, object);
  }
  const { type, metadata: { annotations = {} } } = secret;
  if (type === TOKEN_TYPE && annotations[ACCOUNT_ANNOTATION] === account) return secret;
  throw new MeshError(
    "no-secret",
    `the secret ${namespace}/${name} is not for the token of the service account ${account}`,
    { remedy: `Its type must be ${TOKEN_TYPE}, its annotation ${ACCOUNT_ANNOTATION}=${account}.` },
  );
}

function decoded(text: string | undefined): string {
  return text === undefined ? "" : new TextDecoder().decode(Uint8Array.fromBase64(text));
}

/** The result of a request about something that must exist. */
async function found<T>(asking: Promise<T>, missing: string, remedy: string): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new MeshError("remote-secret", printable(missing), { remedy });
  }
}
