/**
 * The samples: the programs that each needs around its configuration.
 *
 * @module
 */

/** A proxy of a sample, run by `pilot-agent`. */
export interface SampleProxy {
  readonly role: "sidecar" | "router";
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Its address on loopback. */
  readonly ip: string;
}

export interface Sample {
  /** Name of the folder below `samples/`. */
  readonly name: string;
  readonly proxies: readonly SampleProxy[];
  /** Ports of small backends, by the name with which they answer. */
  readonly backends: Readonly<Record<string, number>>;
  /** True: `certificate.sh` of the folder makes the credentials of the gateway. */
  readonly hasCertificate?: boolean;
  /** Ports at which proxies listen when the sample is up. */
  readonly listeners: readonly number[];
  /** Commands to try. */
  readonly tries: readonly string[];
}

const CLIENT: SampleProxy = {
  role: "sidecar",
  name: "client-1",
  labels: { app: "client" },
  ip: "127.0.0.10",
};
const INGRESS: SampleProxy = {
  role: "router",
  name: "ingress-1",
  labels: { mesh: "ingress" },
  ip: "127.0.0.11",
};

/** All samples; the ports are those of their files. */
export const SAMPLES: readonly Sample[] = [
  {
    name: "split",
    proxies: [CLIENT],
    backends: { v1: 18081, v2: 18082 },
    listeners: [18080],
    tries: [
      "for i in 1 2 3 4 5 6 7 8 9 10; do curl -s -H 'Host: shop.demo.mesh:18080' localhost:18080/; echo; done",
      "curl -s -H 'Host: shop.demo.mesh:18080' -H 'x-user: tester' localhost:18080/",
    ],
  },
  {
    name: "gateway-tls",
    proxies: [INGRESS],
    backends: { shop: 18481 },
    hasCertificate: true,
    listeners: [18443, 18480],
    tries: [
      "curl -sk --resolve shop.example:18443:127.0.0.1 https://shop.example:18443/",
      "curl -sk --resolve shop.example:18443:127.0.0.1 https://shop.example:18443/admin",
      "curl -si -H 'Host: shop.example' localhost:18480/",
    ],
  },
  {
    name: "access",
    proxies: [{ role: "sidecar", name: "shop-1", labels: { app: "shop" }, ip: "127.0.0.12" }],
    backends: { shop: 18181 },
    listeners: [18180],
    tries: [
      "curl -s localhost:18180/products/7",
      "curl -s localhost:18180/products/drafts/1",
      "curl -s -X POST localhost:18180/orders",
      "curl -s -X POST -H 'x-team: shop' localhost:18180/orders",
    ],
  },
  {
    name: "tokens",
    proxies: [INGRESS],
    backends: { shop: 18281 },
    listeners: [18280],
    tries: [
      "curl -s -H 'Host: shop.example' localhost:18280/",
      "curl -s -H 'Host: shop.example' -H \"Authorization: Bearer $(cat samples/tokens/guest.jwt)\" localhost:18280/",
      "curl -s -H 'Host: shop.example' -H \"Authorization: Bearer $(cat samples/tokens/staff.jwt)\" localhost:18280/reports",
    ],
  },
  {
    name: "egress",
    proxies: [
      CLIENT,
      { role: "router", name: "egress-1", labels: { mesh: "egress" }, ip: "127.0.0.13" },
    ],
    backends: { api: 18382 },
    listeners: [18380, 18381],
    tries: [
      "curl -si -H 'Host: api.example.com:18380' localhost:18380/",
      "curl -si -H 'Host: other.example.com:18380' localhost:18380/",
    ],
  },
];

/** The ports of a sample's files, which a test replaces by free ones. */
export function portsOfSample({ backends, listeners }: Sample): number[] {
  return [...Object.values(backends), ...listeners];
}
