/**
 * Listener variants: the properties of a proxy class that change its listeners, but not which hosts
 * it sees.
 *
 * @module
 */
import { parseBoolean, parseDuration } from "../../../kit/base/mod.ts";
import { EXTERNAL_OPTION, secretNames } from "../../envoy/mod.ts";
import { converted, type KeyCodec, text } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { type Family, familyOf } from "./family.ts";
import { type TelemetryKey, telemetryKeys } from "./context.ts";

/**
 * Option of a class with configuration on demand: its workload class, whose proxies share what they
 * asked for; see `workloadClass`.
 */
export const WORKLOAD_OPTION = "ON_DEMAND";

/** Classes of one variant share outbound listeners. */
export interface ListenerVariant {
  readonly family: Family;
  /** Listeners bind to their own ports, because nothing redirects traffic. */
  readonly bound: boolean;
  readonly http10: boolean;
  /** Node metadata `ODCDS`: the proxy subscribes to clusters when requests need them. */
  readonly onDemand: boolean;
  /** The proxy asks for virtual hosts by name, too. */
  readonly hostsOnDemand: boolean;
  /**
   * Source of the certificate of a gateway, which can be a peer of mutual TLS: files that the proxy
   * declares, or its agent. `undefined`: it has none, or the proxy is no gateway.
   */
  readonly certified: "files" | "agent" | undefined;
  /** Another program on a gateway's machine serves secrets (`sds://NAME`). */
  readonly external: boolean;
  /** Hosts without addresses have auto-allocated ones; see {@link usesAutoAddresses}. */
  readonly autoAddresses: boolean;
  /** Id of the remote cluster whose virtual addresses precede; `undefined`: the daemon's cluster. */
  readonly cluster: string | undefined;
  /** The Telemetry resources that apply. */
  readonly telemetry: TelemetryKey;
  /** Ports of services through which clients reach a gateway. */
  readonly exposedPorts: readonly ExposedPort[];
  /** The proxy's own configuration, as `ownSettings`; empty: none. */
  readonly settings: string;
  /** Node metadata `IDLE_TIMEOUT`, ms. */
  readonly idleTimeoutMs?: number | undefined;
}

export function variantOf(cls: ProxyClass, telemetry: TelemetryKey): ListenerVariant {
  return {
    family: familyOf(cls),
    bound: cls.interception === "NONE",
    http10: parseBoolean(cls.options.HTTP10 ?? "") === true,
    onDemand: cls.options.ODCDS === "true",
    hostsOnDemand: hasHostsOnDemand(cls),
    certified: certifiedBy(cls),
    external: cls.role === "router" && cls.options[EXTERNAL_OPTION] === "true",
    autoAddresses: usesAutoAddresses(cls),
    cluster: addressClusterOf(cls),
    telemetry,
    exposedPorts: exposedPortsOf(cls),
    settings: cls.options.PROXY_CONFIG ?? "",
    idleTimeoutMs: durationMs(cls.options.IDLE_TIMEOUT),
  };
}

/** Reports if proxies of a class ask for virtual hosts by name. */
export function hasHostsOnDemand({ options }: ProxyClass): boolean {
  return options[WORKLOAD_OPTION] !== undefined && options.VHDS === "true";
}

function certifiedBy(cls: ProxyClass): ListenerVariant["certified"] {
  const { server } = secretNames(cls);
  if (cls.role !== "router" || server === undefined) return undefined;
  return server.fromAgent ? "agent" : "files";
}

/**
 * Reports if hosts without addresses have auto-allocated ones: where the proxy's metadata or the
 * mesh asks for it. A proxy without redirected traffic has no use for them. /
 */
export function usesAutoAddresses({ interception, options }: ProxyClass): boolean {
  return options.DNS_AUTO_ALLOCATE === "true" && interception !== "NONE";
}

/** The remote cluster whose virtual addresses a class uses; `undefined`: the daemon's cluster. */
export function addressClusterOf({ role, options }: ProxyClass): string | undefined {
  // Outbound listeners of gateways have no addresses of services.
  return role === "router" ? undefined : options.ADDRESS_CLUSTER;
}

/** Milliseconds of a duration; `undefined` where it is missing or unreadable. */
function durationMs(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  try {
    return parseDuration(duration);
  } catch {
    return undefined;
  }
}

/** A port of a service that leads to a gateway. */
export interface ExposedPort {
  readonly targetPort: number;
  /** Key of the service. */
  readonly service: string;
  readonly port: number;
}

/**
 * The ports of services through which clients reach a gateway. Empty where they change nothing: all
 * have equal target ports, and the proxy does not serve HTTP/3.
 */
function exposedPortsOf({ role, options, targets }: ProxyClass): readonly ExposedPort[] {
  if (role !== "router" || targets.length === 0) return [];
  const differs = targets.some(({ port, targetPort }) => port !== targetPort);
  if (!differs && options.QUIC !== "true") return [];
  return targets.map(({ targetPort, service, port }) => ({ targetPort, service, port }));
}

/** The codec of variants in keys: the family and what else is set, for example `v4,bound`. */
export const listenerVariants: KeyCodec<ListenerVariant> = converted(text, {
  encode: textOf,
  decode: parse,
});

function textOf(variant: ListenerVariant): string {
  const { exposedPorts, settings, idleTimeoutMs } = variant;
  const telemetry = telemetryKeys.encode(variant.telemetry);
  return [
    variant.family,
    ...(variant.bound ? ["bound"] : []),
    ...(variant.http10 ? ["http10"] : []),
    ...(variant.onDemand ? ["ondemand"] : []),
    ...(variant.hostsOnDemand ? ["hosts"] : []),
    ...(variant.certified ? [`certified=${variant.certified}`] : []),
    ...(variant.external ? ["external"] : []),
    ...(variant.autoAddresses ? ["auto"] : []),
    ...(variant.cluster === undefined ? [] : [`cluster=${encodeURIComponent(variant.cluster)}`]),
    ...(telemetry === "" ? [] : [`telemetry=${encodeURIComponent(telemetry)}`]),
    ...(exposedPorts.length === 0
      ? []
      : [`exposes=${encodeURIComponent(JSON.stringify(exposedPorts))}`]),
    // JSON has commas, which separate the parts.
    ...(settings === "" ? [] : [`settings=${encodeURIComponent(settings)}`]),
    ...(idleTimeoutMs === undefined ? [] : [`idle=${idleTimeoutMs}`]),
  ].join(",");
}

function parse(variant: string): ListenerVariant {
  const [family, ...flags] = variant.split(",");
  const exposed = decodeURIComponent(valueOf(flags, "exposes="));
  const idle = valueOf(flags, "idle=");
  const certified = valueOf(flags, "certified=");
  return {
    family: family as Family,
    bound: flags.includes("bound"),
    http10: flags.includes("http10"),
    onDemand: flags.includes("ondemand"),
    hostsOnDemand: flags.includes("hosts"),
    certified: certified === "files" || certified === "agent" ? certified : undefined,
    external: flags.includes("external"),
    autoAddresses: flags.includes("auto"),
    cluster: decodeURIComponent(valueOf(flags, "cluster=")) || undefined,
    telemetry: telemetryKeys.decode(decodeURIComponent(valueOf(flags, "telemetry="))),
    exposedPorts: exposed === "" ? [] : JSON.parse(exposed) as readonly ExposedPort[],
    settings: decodeURIComponent(valueOf(flags, "settings=")),
    idleTimeoutMs: idle === "" ? undefined : Number(idle),
  };
}

function valueOf(flags: readonly string[], prefix: string): string {
  return flags.find((flag) => flag.startsWith(prefix))?.slice(prefix.length) ?? "";
}

/**
 * The addresses that outbound listeners bind to where configuration names none: all, or loopback
 * where nothing redirects traffic.
 */
export function wildcard(
  { family, bound }: Pick<ListenerVariant, "family" | "bound">,
): { bind: string; extraBinds?: readonly string[] } {
  const [v4, v6] = bound ? ["127.0.0.1", "::1"] : ["0.0.0.0", "::"];
  if (family === "v6") return { bind: v6 };
  return family === "dual" ? { bind: v4, extraBinds: [v6] } : { bind: v4 };
}
