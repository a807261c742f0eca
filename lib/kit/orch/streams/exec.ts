/**
 * Commands in containers of pods (`exec`), over the subprotocols `v5.channel.k8s.io` and
 * `v4.channel.k8s.io`: the first byte of a message is its channel.
 *
 * @module
 */
import { MeshError } from "../../base/mod.ts";
import type { Access } from "../access.ts";
import { openSocket, type PodName } from "./socket.ts";

/** Channels of both subprotocols. */
const STDOUT = 1;
const STDERR = 2;
/** Carries one `Status` object at the end. */
const ERROR = 3;

/** Largest output, in bytes. */
const MAX_OUTPUT = 256 * 1024 * 1024;

/** A command. */
export interface ExecRequest {
  readonly access: Access;
  readonly pod: PodName;
  /** Default: the container that the server chooses. */
  readonly container?: string;
  readonly command: readonly string[];
  readonly signal?: AbortSignal;
}

/** Output and exit status of a command. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
}

/** A `Status` object of the channel of errors. */
interface EndStatus {
  readonly status?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}

/**
 * Runs a command in a container and waits for its end.
 *
 * @throws {MeshError} `orch-exec-failed` if it could not be started or its end is unknown; `OrchError`
 */
export async function execInPod(request: ExecRequest): Promise<ExecResult> {
  const { access, pod, container, command, signal } = request;
  using socket = await openSocket({
    access,
    pod,
    subresource: "exec",
    query: [
      ...container === undefined ? [] : [["container", container] as const],
      ...command.map((word) => ["command", word] as const),
      ...[["stdin", "false"], ["stdout", "true"], ["stderr", "true"], ["tty", "false"]] as const,
    ],
    protocols: ["v5.channel.k8s.io", "v4.channel.k8s.io"],
    ...signal !== undefined && { signal },
  });
  const abort = (): void => socket[Symbol.dispose]();
  signal?.addEventListener("abort", abort, { once: true });
  const channels: Uint8Array[][] = [[], [], [], []];
  let size = 0;
  try {
    for await (const message of socket.messages) {
      size += message.length;
      if (size > MAX_OUTPUT) throw failed(request, "it printed more than 256 MiB");
      channels[message[0] ?? 0]?.push(message.subarray(1));
      if (message[0] === ERROR) break;
    }
  } finally {
    signal?.removeEventListener("abort", abort);
  }
  signal?.throwIfAborted();
  const text = (channel: number): string => textOf(channels[channel] ?? []);
  return { stdout: text(STDOUT), stderr: text(STDERR), status: exitOf(request, text(ERROR)) };
}

function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}

function exitOf(request: ExecRequest, text: string): number {
  let end: EndStatus;
  try {
    end = JSON.parse(text);
  } catch {
    throw failed(request, "the connection ended before the command");
  }
  if (end.status === "Success") return 0;
  const code = end.details?.causes?.find(({ reason }) => reason === "ExitCode")?.message;
  if (code !== undefined && /^\d+$/.test(code)) return Number(code);
  throw failed(request, end.message ?? "the server gave no reason");
}

function failed({ pod, command }: ExecRequest, reason: string): MeshError {
  return new MeshError(
    "orch-exec-failed",
    `${command[0]} in pod ${pod.namespace}/${pod.name}: ${reason}`,
    { remedy: "Check that the container runs and has the program." },
  );
}
