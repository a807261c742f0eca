import { MeshError } from "./error.ts";

/** Nanoseconds in each unit; both signs in use for "micro" are accepted. */
const UNIT_NS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "µs": 1_000n,
  "μs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const MAX_NS = 2n ** 63n - 1n;
/** The signs are escaped: one such character makes the engine hold the whole built program in two bytes a character. */
const SEGMENT = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
const NS_PER_MS = 1e6;

/** The longest duration there is, 2^63-1 ns (`2562047h47m16.854775807s`), in milliseconds. */
export const MAX_DURATION_MS: number = milliseconds(MAX_NS);

/**
 * Parses a duration such as `1h30m`, `-1.5s`, `100ms` or `0` into milliseconds, with fractions. The
 * range is that of 64-bit nanoseconds.
 *
 * @throws {MeshError} `duration-invalid`, with the text and the accepted form.
 */
export function parseDuration(text: string): number {
  const negative = text.startsWith("-");
  const body = negative || text.startsWith("+") ? text.slice(1) : text;
  if (body === "0") return 0;
  let total = 0n;
  let at = 0;
  while (at < body.length) {
    SEGMENT.lastIndex = at;
    const segment = SEGMENT.exec(body);
    if (segment === null) throw invalid(text);
    const [whole, digits = "", fraction = "", unit = ""] = segment;
    const scale = UNIT_NS[unit];
    if (scale === undefined || digits + fraction === "") throw invalid(text);
    total += BigInt(digits || "0") * scale;
    // Fractions are cut at nanoseconds, which also bounds the arithmetic.
    const kept = fraction.slice(0, 18);
    total += BigInt(kept || "0") * scale / 10n ** BigInt(kept.length);
    if (total > MAX_NS) throw invalid(text);
    at += whole.length;
  }
  if (at === 0) throw invalid(text);
  const ms = milliseconds(total);
  return negative ? -ms : ms;
}

/** Formats milliseconds as `1h30m0s`, `1.5s`, `100ms`, `2µs`, `0s`. */
export function formatDuration(ms: number): string {
  const ns = nanoseconds(Math.abs(ms));
  if (ns === 0n) return "0s";
  const sign = ms < 0 ? "-" : "";
  const second = UNIT_NS.s ?? 0n;
  if (ns < 1_000n) return `${sign}${ns}ns`;
  if (ns < 1_000_000n) return `${sign}${decimal(ns, 1_000n)}µs`;
  if (ns < second) return `${sign}${decimal(ns, 1_000_000n)}ms`;
  const minutes = ns / (60n * second);
  const seconds = `${decimal(ns % (60n * second), second)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  const rest = `${minutes % 60n}m${seconds}`;
  return hours === 0n ? sign + rest : `${sign}${hours}h${rest}`;
}

/** Whole milliseconds are exact; only the fraction is rounded. */
function milliseconds(ns: bigint): number {
  return Number(ns / 1_000_000n) + Number(ns % 1_000_000n) / NS_PER_MS;
}

/** Whole milliseconds are kept exact; only a fraction is rounded. */
function nanoseconds(ms: number): bigint {
  if (ms >= MAX_DURATION_MS) return MAX_NS;
  const whole = Math.trunc(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * NS_PER_MS));
}

/** `amount / scale` with all necessary decimals; `scale` is a power of ten. */
function decimal(amount: bigint, scale: bigint): string {
  const digits = scale.toString().length - 1;
  const fraction = (amount % scale).toString().padStart(digits, "0").replace(/0+$/, "");
  return fraction === "" ? `${amount / scale}` : `${amount / scale}.${fraction}`;
}

function invalid(text: string): MeshError {
  return new MeshError("duration-invalid", `${JSON.stringify(text)} is not a duration`, {
    remedy: "Write numbers with units h, m, s, ms, us or ns, for example 1h30m or 100ms.",
  });
}
