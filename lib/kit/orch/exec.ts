/**
 * Credentials that a program prints (`exec` of a kubeconfig, `client.authentication.k8s.io`).
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import type { ExecConfig } from "./kubeconfig.ts";
import type { TokenSource } from "./token.ts";

/** Longest run of the program, in milliseconds. */
const TIMEOUT_MS = 60_000;
/** A token is replaced this long before it expires, in milliseconds. */
const MARGIN_MS = 10_000;
const API_VERSION = /^client\.authentication\.k8s\.io\/(v1|v1beta1)$/;

/** Credentials of one run. */
interface ExecCredential {
  readonly token: string;
  /** Milliseconds since the epoch; `Infinity` if the program does not say. */
  readonly expires: number;
}

/** Runs the program when a token is needed, and again when it has expired or was refused. */
export function execToken(config: ExecConfig): TokenSource {
  let running: Promise<ExecCredential> | undefined;
  return {
    async current() {
      running ??= run(config);
      try {
        const credential = await running;
        if (credential.expires - MARGIN_MS > Date.now()) return credential.token;
        running = run(config);
        return (await running).token;
      } catch (error) {
        running = undefined;
        throw error;
      }
    },
    refused() {
      running = undefined;
    },
  };
}

async function run(config: ExecConfig): Promise<ExecCredential> {
  const { apiVersion, command, args, env } = config;
  if (!API_VERSION.test(apiVersion)) {
    throw fault(config, `apiVersion ${JSON.stringify(apiVersion)} of its exec is not supported`);
  }
  const info = { apiVersion, kind: "ExecCredential", spec: { interactive: false } };
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command(command, {
      args: [...args],
      env: {
        ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
        KUBERNETES_EXEC_INFO: JSON.stringify(info),
      },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).output();
  } catch (cause) {
    throw fault(config, "it cannot be started", cause);
  }
  if (!output.success) {
    const text = new TextDecoder().decode(output.stderr).trim().split("\n").at(-1) ?? "";
    throw fault(config, `it ended with status ${output.code}: ${text}`);
  }
  return read(config, new TextDecoder().decode(output.stdout));
}

function read(config: ExecConfig, text: string): ExecCredential {
  let status: Record<string, unknown> | undefined;
  try {
    status = JSON.parse(text).status;
  } catch {
    throw fault(config, "its output is not JSON");
  }
  const token = status?.token;
  if (typeof token !== "string" || token === "") {
    throw fault(config, "its output has no token; client certificates from it are not supported");
  }
  const until = status?.expirationTimestamp;
  const expires = typeof until === "string" ? Date.parse(until) : NaN;
  return { token, expires: Number.isNaN(expires) ? Infinity : expires };
}

function fault(config: ExecConfig, message: string, cause?: unknown): MeshError {
  return new MeshError("orch-exec", `the credential program ${config.command}: ${message}`, {
    remedy: config.installHint ||
      "Run the program by hand, or use a token or a client certificate.",
    cause,
  });
}
