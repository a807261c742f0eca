/**
 * Tries the rules that are in place: a connection must arrive at the proxy's port instead of its
 * destination.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { parseCidr } from "../../kit/text/mod.ts";
import { planCapture } from "./plan.ts";
import type { Family } from "./rule.ts";
import type { CaptureSettings } from "./settings.ts";
import { type Packet, walk } from "./walk.ts";

/** Exit status of a failed validation. The repair of the node's plugin recognises it. */
export const VALIDATION_STATUS = 126;

/** Options of {@link validateCapture}. */
export interface ValidationOptions {
  readonly settings: CaptureSettings;
  /** Port that nothing is redirected from by name: the destination of the trial connection. */
  readonly probePort: number;
  /** Time limit, ms. */
  readonly timeout: number;
  /** Ids of this process. */
  readonly uid: string;
  readonly gid: string;
  /** Addresses of this host. */
  readonly addresses: readonly string[];
}

/** A trial connection. */
export interface Trial {
  readonly destination: string;
  /** Port of the proxy that it must arrive at. */
  readonly port: number;
}

const log = scope("validation");

/** Any source port: no rule depends on it. */
const EPHEMERAL_PORT = 40_000;

/** Addresses for documentation, RFC 5737 and RFC 3849; they are not assigned to hosts. */
const NOBODY = { 4: "192.0.2.1", 6: "2001:db8::1" } as const;

/**
 * The connections of this process that the rules of the plan capture, of two candidates for each IP
 * version: one to an address of the pod, and one to a captured range.
 */
export function trialsOf(options: Omit<ValidationOptions, "timeout">): readonly Trial[] {
  const { settings, probePort, uid, gid } = options;
  return planCapture(settings).families.flatMap((plan) =>
    candidates(options, plan.family).flatMap(({ out, source, destination }): Trial[] => {
      const packet: Packet = {
        protocol: "tcp",
        out,
        source,
        destination,
        sport: EPHEMERAL_PORT,
        dport: probePort,
        uid,
        gid,
      };
      const { verdict } = walk(plan, "OUTPUT", packet);
      return verdict.kind === "redirect" ? [{ destination, port: verdict.port }] : [];
    })
  );
}

function candidates({ settings, addresses }: Omit<ValidationOptions, "timeout">, family: Family) {
  const own = addresses.find((address) => address.includes(":") === (family === 6));
  if (own === undefined) return [];
  const range = settings.ranges === "all"
    ? NOBODY[family]
    : settings.ranges.map(parseCidr).find((found) => found?.family === family)?.address;
  return [
    { out: "lo", source: own, destination: own },
    ...range === undefined ? [] : [{ out: "eth0", source: own, destination: range }],
  ];
}

/**
 * Listens at the proxy's ports and makes the trial connections.
 *
 * @throws {MeshError} `capture-validation` when a connection is not captured in time, or when there is
 * nothing that this process could try
 */
export async function validateCapture(options: ValidationOptions): Promise<void> {
  const trials = trialsOf(options);
  if (trials.length === 0) {
    throw new MeshError("capture-validation", "no connection of this process would be captured", {
      remedy: "Run the validation as the proxy's user, or capture an outbound range.",
    });
  }
  await using listeners = new AsyncDisposableStack();
  const nonce = crypto.randomUUID();
  const ports = new Set(trials.map(({ port }) => port));
  for (const port of [...ports, options.probePort]) {
    const answer = ports.has(port) ? `${nonce} ${port}\n` : "direct\n";
    for (const hostname of options.settings.ipv6 ? ["::", "0.0.0.0"] : ["0.0.0.0"]) {
      // "::" takes IPv4 too where the kernel is set up so.
      const mayBeTaken = options.settings.ipv6 && hostname !== "::";
      const listener = greet({ hostname, port, answer, mayBeTaken });
      if (listener !== undefined) listeners.defer(() => listener());
    }
  }
  for (const trial of trials) {
    const answer = await greeting(trial.destination, options.probePort, options.timeout);
    if (answer === `${nonce} ${trial.port}`) {
      log.info("the rules capture a trial connection", { ...trial });
      continue;
    }
    throw new MeshError(
      "capture-validation",
      `a connection to ${trial.destination} port ${options.probePort} did not arrive at port ` +
        `${trial.port} of the proxy: ${answer === "direct" ? "it was not redirected" : answer}`,
      {
        remedy:
          "The workload started before its rules were set, or other rules come first. With the " +
          "node's network plugin, a restart of the pod sets them again.",
      },
    );
  }
}

/** Answers every connection with one line. Gives the function that stops it. */
function greet(
  { hostname, port, answer, mayBeTaken }: {
    readonly hostname: string;
    readonly port: number;
    readonly answer: string;
    /** True: gives nothing where another listener of this process has the port. */
    readonly mayBeTaken: boolean;
  },
): (() => Promise<void>) | undefined {
  let listener: Deno.TcpListener;
  try {
    listener = Deno.listen({ hostname, port });
  } catch (cause) {
    if (mayBeTaken && cause instanceof Deno.errors.AddrInUse) return undefined;
    throw new MeshError(
      "capture-validation",
      `cannot listen on port ${port}: ${messageOf(cause)}`,
      {
        remedy: "Validate before the proxy starts; it uses the same ports.",
        cause,
      },
    );
  }
  const text = new TextEncoder().encode(answer);
  const done = (async () => {
    for await (const connection of listener) {
      await connection.write(text).catch(() => {});
      connection.close();
    }
  })();
  return async () => {
    listener.close();
    await done;
  };
}

/** The line that the other side sends, or the reason why there is none. */
async function greeting(hostname: string, port: number, timeout: number): Promise<string> {
  let connection: Deno.TcpConn | undefined;
  const signal = AbortSignal.timeout(timeout);
  try {
    connection = await Deno.connect({ hostname, port, signal });
    const bytes = new Uint8Array(128);
    const count = await Promise.race([connection.read(bytes), expired(signal)]);
    return new TextDecoder().decode(bytes.subarray(0, count ?? 0)).trim();
  } catch (error) {
    return signal.aborted ? `no answer within ${timeout} ms` : messageOf(error);
  } finally {
    connection?.close();
  }
}

function expired(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
