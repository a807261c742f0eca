/**
 * What listeners depend on in a class, besides what its namespace sees.
 *
 * @module
 */
import { parseDuration } from "../../base/mod.ts";
import { secretNames } from "../../envoy/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { type Family, familyOf } from "./family.ts";

/** Classes of one flavour share outbound listeners. */
export interface Flavour {
  readonly family: Family;
  /** Listeners bind to their own ports, because nothing redirects traffic. */
  readonly bound: boolean;
  readonly http10: boolean;
  /** Node metadata `ODCDS`: clusters are fetched when they are needed. */
  readonly onDemand: boolean;
  /** A gateway that has a certificate of its own, so that it can be a peer of mutual TLS. */
  readonly certified: boolean;
  /** Hosts without addresses have those that they are given; see {@link usesGiven}. */
  readonly given: boolean;
  /** What is logged, counted and traced; see `telemetryKey`. */
  readonly telemetry: string;
  /** Ports of services that lead to a gateway, see `exposesOf`. */
  readonly exposes: string;
  /** What the proxy says of its own configuration, as `ownSettings` has it; empty: nothing. */
  readonly settings: string;
  /** Node metadata `IDLE_TIMEOUT`, ms. */
  readonly idleTimeoutMs?: number;
}

/**
 * The flavour of a class.
 *
 * @param telemetry see `telemetryKey`
 */
export function flavourOf(cls: ProxyClass, telemetry: string): Flavour {
  return {
    family: familyOf(cls),
    bound: cls.interception === "NONE",
    http10: cls.options.HTTP10 === "true" || cls.options.HTTP10 === "1",
    onDemand: cls.options.ODCDS === "true",
    certified: cls.role === "router" && secretNames(cls).server !== undefined,
    given: usesGiven(cls),
    telemetry,
    exposes: exposesOf(cls),
    settings: cls.options.PROXY_CONFIG ?? "",
    idleTimeoutMs: duration(cls.options.IDLE_TIMEOUT),
  };
}

/**
 * Whether hosts without addresses have those that they are given: where the proxy's metadata asks
 * for it, or the whole mesh does so. Where nothing redirects traffic there is no use for them.
 */
export function usesGiven({ interception, options }: ProxyClass): boolean {
  return options.DNS_AUTO_ALLOCATE === "true" && interception !== "NONE";
}

/** A proxy that says something unreadable about itself gets what one gets that says nothing. */
function duration(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}

/** A flavour as a key part, for example `v4,bound`. */
export function flavourKey(f: Flavour): string {
  return [
    f.family,
    ...(f.bound ? ["bound"] : []),
    ...(f.http10 ? ["http10"] : []),
    ...(f.onDemand ? ["ondemand"] : []),
    ...(f.certified ? ["certified"] : []),
    ...(f.given ? ["given"] : []),
    ...(f.telemetry === "" ? [] : [`telemetry=${encodeURIComponent(f.telemetry)}`]),
    ...(f.exposes === "" ? [] : [`exposes=${encodeURIComponent(f.exposes)}`]),
    // A key's parts are told apart by signs that JSON has, too.
    ...(f.settings === "" ? [] : [`settings=${encodeURIComponent(f.settings)}`]),
    ...(f.idleTimeoutMs === undefined ? [] : [`idle=${f.idleTimeoutMs}`]),
  ].join(",");
}

/** Reads {@link flavourKey} back. */
export function parseFlavour(key: string): Flavour {
  const [family, ...flags] = key.split(",");
  const idle = flags.find((f) => f.startsWith("idle="));
  return {
    family: family as Family,
    bound: flags.includes("bound"),
    http10: flags.includes("http10"),
    onDemand: flags.includes("ondemand"),
    certified: flags.includes("certified"),
    given: flags.includes("given"),
    telemetry: decodeURIComponent(valueOf(flags, "telemetry=")),
    exposes: decodeURIComponent(valueOf(flags, "exposes=")),
    settings: decodeURIComponent(valueOf(flags, "settings=")),
    idleTimeoutMs: idle === undefined ? undefined : Number(idle.slice("idle=".length)),
  };
}

function valueOf(flags: readonly string[], prefix: string): string {
  return flags.find((flag) => flag.startsWith(prefix))?.slice(prefix.length) ?? "";
}

/** The addresses that outbound listeners bind to where configuration names none: all, or loopback when they are bound. */
export function wildcard(
  f: Pick<Flavour, "family" | "bound">,
): { bind: string; extraBinds?: readonly string[] } {
  const [v4, v6] = f.bound ? ["127.0.0.1", "::1"] : ["0.0.0.0", "::"];
  if (f.family === "v6") return { bind: v6 };
  return f.family === "dual" ? { bind: v4, extraBinds: [v6] } : { bind: v4 };
}

/** A port of a service that leads to the gateway: its target port, the service's key, its number. */
export type Exposed = readonly [targetPort: number, service: string, port: number];

/**
 * The ports of services by which clients reach a gateway, as JSON; empty where they
 * change nothing: none is led to another number, and HTTP/3 is not for this proxy.
 */
export function exposesOf({ role, options, targets }: ProxyClass): string {
  if (role !== "router" || targets.length === 0) return "";
  const led = targets.some(({ port, targetPort }) => port !== targetPort);
  if (!led && options.QUIC !== "true") return "";
  return JSON.stringify(targets.map((t): Exposed => [t.targetPort, t.service, t.port]));
}

export function exposed({ exposes }: Flavour): readonly Exposed[] {
  return exposes === "" ? [] : JSON.parse(exposes) as readonly Exposed[];
}
