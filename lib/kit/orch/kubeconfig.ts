/**
 * Configuration files of the orchestrator's clients (kubeconfig): clusters, users, contexts.
 *
 * @module
 */
import { dirname, resolve } from "node:path";
import { MeshError } from "../base/mod.ts";
import { parseYaml } from "../text/mod.ts";
import { Section } from "./section.ts";

/** The extension of a cluster with settings for programs that print credentials. */
const EXEC_EXTENSION = "client.authentication.k8s.io/exec";

/** Environment variable of an exec credential. */
export interface ExecVariable {
  readonly name: string;
  readonly value: string;
}

const INTERACTIVE_MODES = ["Never", "IfAvailable", "Always"] as const;

/** `exec` of a user: a program that prints credentials. */
export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly ExecVariable[];
  readonly installHint: string;
  /** The program is told the cluster that it makes credentials for. */
  readonly provideClusterInfo: boolean;
  /** If the program may ask the user, on a terminal. */
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
}

/** A named cluster. Paths are absolute. */
export interface ClusterConfig {
  /** URL of the API server. */
  readonly server: string;
  /** PEM text, decoded from base64. */
  readonly caData?: string;
  readonly caFile?: string;
  readonly insecureSkipVerify: boolean;
  readonly tlsServerName: string;
  readonly proxyUrl: string;
  /** Settings of the cluster for programs with `provideClusterInfo`. */
  readonly execConfig?: unknown;
}

/** `auth-provider` of a user. */
export interface AuthProviderConfig {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** A named user. Paths are absolute. Data is decoded from base64. */
export interface UserConfig {
  readonly certData?: string;
  readonly certFile?: string;
  readonly keyData?: string;
  readonly keyFile?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: ExecConfig;
  readonly authProvider?: AuthProviderConfig;
  readonly as?: string;
  readonly asUid?: string;
  readonly asGroups: readonly string[];
}

/** A named context. */
export interface ContextConfig {
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

/** One file, or several merged ones. */
export interface Kubeconfig {
  /** File names, for messages. */
  readonly origin: string;
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, ClusterConfig>;
  readonly users: ReadonlyMap<string, UserConfig>;
  readonly contexts: ReadonlyMap<string, ContextConfig>;
}

/**
 * Reads files and merges them: the first file that has a name decides, as does the first that has a
 * current context.
 *
 * @throws MeshError `orch-config` if a file cannot be read or parsed
 */
export async function loadKubeconfig(paths: readonly string[]): Promise<Kubeconfig> {
  const files: Kubeconfig[] = [];
  for (const path of paths) {
    let text: string;
    try {
      text = await Deno.readTextFile(path);
    } catch (cause) {
      throw new MeshError("orch-config", `cannot read the orchestrator configuration ${path}`, {
        remedy: "Name a file that exists and that this user may read.",
        cause,
      });
    }
    files.push(parseKubeconfig(text, path));
  }
  return files.reduce(merge, emptyConfig(paths.join(", ")));
}

function emptyConfig(origin: string): Kubeconfig {
  const [clusters, users, contexts] = [new Map(), new Map(), new Map()];
  return { origin, currentContext: "", clusters, users, contexts };
}

function merge(first: Kubeconfig, second: Kubeconfig): Kubeconfig {
  return {
    origin: first.origin,
    currentContext: first.currentContext || second.currentContext,
    clusters: new Map([...second.clusters, ...first.clusters]),
    users: new Map([...second.users, ...first.users]),
    contexts: new Map([...second.contexts, ...first.contexts]),
  };
}

/**
 * Parses the text of one file.
 *
 * @param path name of the file for messages; relative paths in the text start at its folder
 * @throws MeshError `orch-config`
 */
export function parseKubeconfig(text: string, path: string): Kubeconfig {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new MeshError("orch-config", `${path}: ${message}`, {
      remedy: "Correct the file, or write it again with the orchestrator's tools.",
      cause,
    });
  }
  const root = new Section(value ?? {}, path, "");
  const dir = dirname(resolve(path));
  return {
    origin: path,
    currentContext: root.text("current-context") ?? "",
    clusters: root.named("clusters", "cluster", (one) => readCluster(one, dir)),
    users: root.named("users", "user", (one) => readUser(one, dir)),
    contexts: root.named("contexts", "context", (one) => ({
      cluster: one.text("cluster") ?? "",
      user: one.text("user") ?? "",
      namespace: one.text("namespace") ?? "",
    })),
  };
}

function readCluster(one: Section, dir: string): ClusterConfig {
  return {
    server: one.text("server") ?? "",
    caData: one.base64("certificate-authority-data"),
    caFile: one.file("certificate-authority", dir),
    insecureSkipVerify: one.flag("insecure-skip-tls-verify"),
    tlsServerName: one.text("tls-server-name") ?? "",
    proxyUrl: one.text("proxy-url") ?? "",
    execConfig: one.sections("extensions")
      .find((extension) => extension.text("name") === EXEC_EXTENSION)?.value("extension"),
  };
}

function readUser(one: Section, dir: string): UserConfig {
  const [exec, provider] = [one.section("exec"), one.section("auth-provider")];
  return {
    certData: one.base64("client-certificate-data"),
    certFile: one.file("client-certificate", dir),
    keyData: one.base64("client-key-data"),
    keyFile: one.file("client-key", dir),
    token: one.text("token"),
    tokenFile: one.file("tokenFile", dir),
    username: one.text("username"),
    password: one.text("password"),
    exec: exec && readExec(exec, dir),
    authProvider: provider && readAuthProvider(provider),
    as: one.text("as"),
    asUid: one.text("as-uid"),
    asGroups: one.texts("as-groups"),
  };
}

function readAuthProvider(provider: Section): AuthProviderConfig {
  const settings = provider.section("config")?.allTexts() ?? {};
  return { name: provider.text("name") ?? "", settings };
}

function readExec(exec: Section, dir: string): ExecConfig {
  const command = exec.text("command") ?? "";
  return {
    apiVersion: exec.text("apiVersion") ?? "",
    // A name without a slash is found on the PATH.
    command: command.includes("/") ? resolve(dir, command) : command,
    args: exec.texts("args"),
    env: exec.sections("env").map((one) => ({
      name: one.text("name") ?? "",
      value: one.text("value") ?? "",
    })),
    installHint: exec.text("installHint") ?? "",
    provideClusterInfo: exec.flag("provideClusterInfo"),
    interactiveMode: exec.oneOf("interactiveMode", INTERACTIVE_MODES) ?? "IfAvailable",
  };
}
