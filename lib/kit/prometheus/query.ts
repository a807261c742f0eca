import { MeshError, messageOf, printable } from "../base/mod.ts";
import { discardBody, readBody } from "../web/mod.ts";

/** One series of an answer: its labels, and its value now. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** `NaN` and the infinities are possible, as in PromQL. */
  readonly value: number;
}

/** A question to a Prometheus. */
export interface PromQuestion {
  /** Base address, `http://HOST:PORT`. */
  readonly address: string;
  /** An expression of PromQL whose result is an instant vector. */
  readonly expression: string;
  /** Longest wait for the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the question. */
  readonly signal?: AbortSignal;
}

/** Longest answer, in bytes. */
const MAX_BYTES = 8 * 2 ** 20;

/**
 * Evaluates an expression at the present time, over the query API, version 1
 * (`GET /api/v1/query` of Prometheus).
 *
 * @throws {MeshError} `prometheus-unreachable` without an answer in time; `prometheus-answer` when
 * the answer is not that of the query API
 */
export async function queryPrometheus(question: PromQuestion): Promise<readonly Series[]> {
  const { address, expression, timeoutMs, signal } = question;
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const url = `${address}/api/v1/query?query=${encodeURIComponent(expression)}`;
  let text: string;
  try {
    text = await textOf(url, ended);
  } catch (cause) {
    const reason = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : messageOf(cause);
    throw new MeshError(
      "prometheus-unreachable",
      printable(`cannot ask ${address}: ${reason}`),
      { remedy: "Check the address, and that the Prometheus runs.", cause },
    );
  }
  return seriesOf(text) ?? wrongAnswer(address, text);
}

async function textOf(url: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(url, { signal });
  try {
    return await readBody(answer, MAX_BYTES, signal);
  } finally {
    discardBody(answer);
  }
}

function wrongAnswer(address: string, text: string): never {
  throw new MeshError(
    "prometheus-answer",
    printable(`${address} did not answer as a Prometheus: ${text.slice(0, 200)}`),
    { remedy: "Give the base address of a Prometheus, such as http://localhost:9090." },
  );
}

/** The series of an answer; `undefined` for another text. */
function seriesOf(text: string): Series[] | undefined {
  try {
    const { status, data } = JSON.parse(text) as {
      readonly status: string;
      readonly data: { readonly resultType: string; readonly result: readonly Sample[] };
    };
    if (status !== "success" || data.resultType !== "vector") return undefined;
    return data.result.map(({ metric, value: [, value] }) => ({
      labels: metric,
      value: Number(value.replace("Inf", "Infinity")),
    }));
  } catch {
    return undefined;
  }
}

/** A series as JSON: the time in seconds, and the value as text, `+Inf`, `-Inf` or `NaN`. */
interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}
