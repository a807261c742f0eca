/**
 * Common parts of suites of the Gateway API: objects in short, and a world with gateways and sidecars.
 *
 * @module
 */
import {
  type Answer,
  type Backend,
  call,
  type CallOptions,
  eventually,
  freePorts,
} from "../../../scripts/harness/mod.ts";
import { toYaml } from "../../../lib/kit/text/mod.ts";
import { documents, endpoint, manifest, NAMESPACE, type Spec } from "../../support/manifest.ts";
import { eachTransport, type Kind, type TestProxy, type World } from "../../support/world.ts";
import type { Pki } from "../tls/bench.ts";

/** An object of the Gateway API. */
export function api(kind: string, name: string, spec: Spec, namespace: string = NAMESPACE): string {
  const apiVersion = "gateway.networking.k8s.io/v1";
  return toYaml({ apiVersion, kind, metadata: { name, namespace }, spec });
}

/** The host of a Service of the suite's namespace. */
export const hostOf = (name: string): string => `${name}.${NAMESPACE}.svc.cluster.local`;

/** A service with backends on this machine; a reference to a Service of this name finds it. */
export function service(
  name: string,
  backend: number,
  { protocol = "HTTP", port = 80 }: { readonly protocol?: string; readonly port?: number } = {},
): string {
  return manifest("ServiceEntry", name, {
    hosts: [hostOf(name)],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: port, name: "main", protocol }],
    endpoints: [endpoint(backend)],
  });
}

/** A reference to a backend. */
export const to = (name: string, more: Spec = {}): Spec => ({ name, port: 80, ...more });

/** The Gateways of both proxies. */
export const PARENTS: readonly Spec[] = eachTransport((transport) => ({
  name: `edge-${transport}`,
  namespace: NAMESPACE,
}));

/** A route of both Gateways. */
export function route(kind: string, name: string, spec: Spec): string {
  return api(kind, name, { parentRefs: PARENTS, ...spec });
}

/** Names of the listeners of the suite's Gateways. */
export type ListenerName = "http" | "tcp" | "ends" | "open" | "first" | "udp";

/** Ports of listeners; those of both proxies are equal, because their addresses differ. */
export type Ports = Readonly<Record<ListenerName, number>>;

/** Ports of this machine that are free now. */
export function choosePorts(): Ports {
  const [http = 0, tcp = 0, ends = 0, open = 0, first = 0, udp = 0] = freePorts(6);
  return { http, tcp, ends, open, first, udp };
}

/** Environment of a case. */
export interface Bench {
  readonly world: World;
  readonly pki: Pki;
  readonly ports: Ports;
  /** Port of services that sidecars send to. */
  readonly meshPort: number;
  /** The backend that copies of requests are for. */
  readonly copies: Backend;
  /** Port of the backend `secure`, which has TLS. */
  readonly secure: number;
  /** The backends `a` and `b`. */
  readonly pair: readonly Backend[];
  /** Does something with each proxy of a kind, one after the other. */
  each(kind: Kind, act: (proxy: TestProxy) => Promise<void>): Promise<void>;
  /** Asks every proxy of a kind until the answer is right. */
  meets(asked: Asked, right: (answer: Answer) => boolean): Promise<void>;
}

/** A request to the proxies of a kind. */
export interface Asked extends CallOptions {
  /** Default: gateways, at their listener `http`. */
  readonly kind?: Kind;
  readonly path?: string;
  readonly host: string;
}

/** The address at which a proxy takes requests of HTTP. */
export function urlOf({ ports, meshPort }: Bench, { kind, address }: TestProxy): string {
  return `http://${address}:${kind === "router" ? ports.http : meshPort}`;
}

/** The environment of the cases of a world. */
export function benchOf(parts: Omit<Bench, "each" | "meets">): Bench {
  const bench: Bench = {
    ...parts,
    each: async (kind, act) => {
      for (const proxy of parts.world.testProxies.filter((one) => one.kind === kind)) {
        try {
          await act(proxy);
        } catch (cause) {
          throw new Error(`${kind} over ${proxy.transport}: ${cause}`, { cause });
        }
      }
    },
    meets: ({ kind = "router", path = "/", ...options }, right) =>
      bench.each(kind, async (proxy) => {
        let last: unknown = "nothing";
        await eventually(`${options.host}${path}`, async () => {
          try {
            const answer = await call(`${urlOf(bench, proxy)}${path}`, options);
            last = answer;
            return right(answer);
          } catch (cause) {
            last = `${cause}`;
            return false;
          }
        }).catch((cause) => {
          throw new Error(`${cause}; last: ${JSON.stringify(last)}`, { cause });
        });
      }),
  };
  return bench;
}

/** The answer of a backend. */
export const by = (name: string) => ({ echo }: Answer): boolean => echo?.backend === name;
/** An answer with a status. */
export const status = (code: number) => (answer: Answer): boolean => answer.status === code;

/** A case of the suite. */
export interface GatewayCase {
  readonly name: string;
  readonly run: (bench: Bench) => Promise<void>;
}

/** The Gateways, and what is in front of each. */
export function gateways(ports: Ports): string {
  const protocols: Readonly<Record<ListenerName, Spec>> = {
    http: { protocol: "HTTP" },
    tcp: { protocol: "TCP" },
    ends: {
      protocol: "TLS",
      hostname: "one.tls.test",
      tls: { certificateRefs: [{ name: "one" }] },
    },
    open: {
      protocol: "HTTPS",
      hostname: "one.tls.test",
      tls: { certificateRefs: [{ name: "one" }] },
    },
    first: { protocol: "HTTPS", tls: { certificateRefs: [{ name: "one" }] } },
    udp: { protocol: "UDP" },
  };
  const authorities = [{ group: "", kind: "Secret", name: "one" }];
  const named = Object.entries(ports) as [ListenerName, number][];
  return documents(...eachTransport((transport) => {
    const front = manifest("ServiceEntry", `edge-${transport}`, {
      hosts: [hostOf(`edge-${transport}`)],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: named.map(([name, number]) => ({
        number,
        name,
        protocol: `${protocols[name].protocol}`,
      })),
      workloadSelector: { labels: { transport, kind: "router" } },
    });
    const gateway = api("Gateway", `edge-${transport}`, {
      gatewayClassName: "mesh",
      addresses: [{ type: "Hostname", value: hostOf(`edge-${transport}`) }],
      tls: {
        backend: { clientCertificateRef: { name: "client" } },
        frontend: {
          default: {},
          perPort: [{
            port: ports.open,
            tls: {
              validation: { mode: "AllowInsecureFallback", caCertificateRefs: authorities },
            },
          }],
        },
      },
      listeners: named.map(([name, port]) => ({ name, port, ...protocols[name] })),
    });
    return documents(front, gateway);
  }));
}
