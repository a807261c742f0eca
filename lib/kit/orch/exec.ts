/**
 * Credentials that a program prints (`exec` of a kubeconfig, `client.authentication.k8s.io`).
 *
 * @module
 */
import { MeshError, printable } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import type { ClusterConfig, ExecConfig } from "./kubeconfig.ts";
import type { TokenSource } from "./token.ts";

const log = scope("default");

/** Longest run of the program, in milliseconds; one that asks the user may take longer. */
const TIMEOUT_MS = 60_000;
const INTERACTIVE_TIMEOUT_MS = 600_000;
/** Credentials are replaced this long before they expire, in milliseconds. */
const MARGIN_MS = 10_000;
/** Longest text of a program in an error or a log line, in characters. */
const MAX_TEXT = 1_000;
const API_VERSION = /^client\.authentication\.k8s\.io\/(v1|v1beta1)$/;

/** A client certificate with its key, PEM. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Credentials of one run. */
interface Printed {
  /** Empty: none. */
  readonly token: string;
  readonly certificate: Certificate | undefined;
  /** Milliseconds since the epoch; `Infinity` if the program does not say. */
  readonly expires: number;
}

/** The token and the client certificate that a program prints. */
export interface ExecCredentials extends TokenSource {
  /** `undefined`: the program prints none. */
  certificate(): Promise<Certificate | undefined>;
}

/** Runs the program when credentials are needed, and again when they have expired or were refused. */
export function execCredentials(config: ExecConfig, cluster: ClusterConfig): ExecCredentials {
  let running: Promise<Printed> | undefined;
  const printed = async (): Promise<Printed> => {
    running ??= run(config, cluster);
    try {
      const last = await running;
      if (last.expires - MARGIN_MS > Date.now()) return last;
      running = run(config, cluster);
      return await running;
    } catch (error) {
      running = undefined;
      throw error;
    }
  };
  return {
    current: async () => (await printed()).token,
    certificate: async () => (await printed()).certificate,
    refused() {
      running = undefined;
    },
  };
}

async function run(config: ExecConfig, cluster: ClusterConfig): Promise<Printed> {
  const { apiVersion, command, args, env, interactiveMode } = config;
  if (!API_VERSION.test(apiVersion)) {
    throw fault(config, `apiVersion ${JSON.stringify(apiVersion)} of its exec is not supported`);
  }
  const interactive = interactiveMode !== "Never" && Deno.stdin.isTerminal();
  if (interactiveMode === "Always" && !interactive) {
    throw fault(config, "it asks the user (interactiveMode: Always), and there is no terminal");
  }
  const spec = { interactive, ...config.provideClusterInfo && await clusterInfo(cluster) };
  const info = { apiVersion, kind: "ExecCredential", spec };
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command(command, {
      args: [...args],
      env: {
        ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
        KUBERNETES_EXEC_INFO: JSON.stringify(info),
      },
      // A program that asks the user writes its question to stderr.
      stdin: interactive ? "inherit" : "null",
      stdout: "piped",
      stderr: interactive ? "inherit" : "piped",
      signal: AbortSignal.timeout(interactive ? INTERACTIVE_TIMEOUT_MS : TIMEOUT_MS),
    }).output();
  } catch (cause) {
    throw fault(config, "it cannot be started", cause);
  }
  const said = interactive ? "" : shown(output.stderr);
  if (!output.success) throw fault(config, `it ended with status ${output.code}: ${said}`);
  if (said !== "") log.warn("a credential program wrote to stderr", { program: command, said });
  return read(config, new TextDecoder().decode(output.stdout));
}

/** `spec.cluster`, as `client.authentication.k8s.io` has it. */
async function clusterInfo(cluster: ClusterConfig): Promise<{ readonly cluster: object }> {
  const { server, caData, caFile, tlsServerName, insecureSkipVerify, proxyUrl, execConfig } =
    cluster;
  const ca = caData ?? (caFile === undefined ? undefined : await Deno.readTextFile(caFile));
  return {
    cluster: {
      server,
      ...tlsServerName !== "" && { "tls-server-name": tlsServerName },
      ...insecureSkipVerify && { "insecure-skip-tls-verify": true },
      ...ca !== undefined &&
        { "certificate-authority-data": btoa(ca.replaceAll(/[^\x20-\x7e\n]/g, "")) },
      ...proxyUrl !== "" && { "proxy-url": proxyUrl },
      ...execConfig !== undefined && { config: execConfig },
    },
  };
}

function read(config: ExecConfig, text: string): Printed {
  let status: Record<string, unknown> | undefined;
  try {
    status = JSON.parse(text)?.status;
  } catch {
    throw fault(config, "its output is not JSON");
  }
  const token = textAt(status, "token");
  const [cert, key] = [textAt(status, "clientCertificateData"), textAt(status, "clientKeyData")];
  if ((cert === "") !== (key === "")) {
    throw fault(config, "its output has a client certificate or a key without the other");
  }
  if (token === "" && cert === "") {
    throw fault(config, "its output has neither a token nor a client certificate");
  }
  const until = status?.expirationTimestamp;
  const expires = typeof until === "string" ? Date.parse(until) : NaN;
  return {
    token,
    certificate: cert === "" ? undefined : { cert, key },
    expires: Number.isNaN(expires) ? Infinity : expires,
  };
}

function textAt(map: Readonly<Record<string, unknown>> | undefined, name: string): string {
  const value = map?.[name];
  return typeof value === "string" ? value : "";
}

/** The end of a program's messages, without control characters. */
function shown(bytes: Uint8Array): string {
  return printable(new TextDecoder().decode(bytes).trim().slice(-MAX_TEXT));
}

function fault(config: ExecConfig, message: string, cause?: unknown): MeshError {
  return new MeshError("orch-exec", `the credential program ${config.command}: ${message}`, {
    remedy: config.installHint ||
      "Run the program by hand, or use a token or a client certificate.",
    cause,
  });
}
