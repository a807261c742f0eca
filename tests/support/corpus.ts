/**
 * The configuration of the push benchmark, and of tests that need a large mesh: S services, one
 * ServiceEntry each with 5 static endpoints and one HTTP port, a VirtualService on every 2nd, a
 * DestinationRule with 2 subsets on every 4th, spread over 20 namespaces.
 *
 * @module
 */

/** Namespaces the services and the proxies are spread over. */
export const NAMESPACES = 20;

/** The host of a service. */
export function hostOf(i: number): string {
  return `svc-${i}.bench.example`;
}

/** The namespace of a service or a proxy. */
export function namespaceOf(i: number): string {
  return `ns-${i % NAMESPACES}`;
}

/**
 * A ServiceEntry; `variant` changes the address of its first endpoint. Endpoints with a service
 * account take mutual TLS.
 */
export function serviceEntry(i: number, variant = 0, account?: string): string {
  const identity = account === undefined ? "" : `\n    serviceAccount: ${account}`;
  const endpoints = [0, 1, 2, 3, 4].map((e) => {
    const last = e === 0 ? 1 + variant : 10 + e;
    return `  - address: 10.${i >> 8 & 255}.${i & 255}.${last}
    labels: {app: svc-${i}, version: v${1 + e % 2}}
    locality: region-1/zone-${e % 3}${identity}`;
  }).join("\n");
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata:
  name: svc-${i}
  namespace: ${namespaceOf(i)}
spec:
  hosts: [${hostOf(i)}]
  location: MESH_INTERNAL
  resolution: STATIC
  ports:
  - {number: 80, name: http, protocol: HTTP, targetPort: 8080}
  endpoints:
${endpoints}
`;
}

/** A VirtualService that splits by header and weight. */
export function virtualService(i: number, weight = 80): string {
  return `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata:
  name: svc-${i}
  namespace: ${namespaceOf(i)}
spec:
  hosts: [${hostOf(i)}]
  http:
  - match:
    - headers: {x-user: {exact: tester}}
    route:
    - destination: {host: ${hostOf(i)}}
    timeout: 3s
  - route:
    - destination: {host: ${hostOf(i)}}
      weight: ${weight}
    - destination: {host: ${hostOf(i + 1)}}
      weight: ${100 - weight}
    retries: {attempts: 2, retryOn: 5xx}
`;
}

/** A DestinationRule with two subsets. */
export function destinationRule(i: number): string {
  return `apiVersion: networking.mesh.io/v1
kind: DestinationRule
metadata:
  name: svc-${i}
  namespace: ${namespaceOf(i)}
spec:
  host: ${hostOf(i)}
  trafficPolicy:
    connectionPool: {tcp: {maxConnections: 100}}
    outlierDetection: {consecutive5xxErrors: 5, interval: 10s}
  subsets:
  - {name: v1, labels: {version: v1}}
  - {name: v2, labels: {version: v2}}
`;
}

/** An AuthorizationPolicy for the workloads of a namespace. */
export function authorizationPolicy(i: number): string {
  return `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata:
  name: no-admin
  namespace: ${namespaceOf(i)}
spec:
  action: DENY
  rules:
  - to:
    - operation: {paths: ["/admin*"]}
`;
}

/** Mutual TLS at all workloads. */
export function strictAuthentication(): string {
  return `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: mesh-system}
spec:
  mtls: {mode: STRICT}
`;
}

/** A Sidecar for each namespace, which imports the hosts of that namespace alone. */
export function sidecars(): string {
  return Array.from({ length: NAMESPACES }, (_, i) =>
    `apiVersion: networking.mesh.io/v1
kind: Sidecar
metadata: {name: default, namespace: ${namespaceOf(i)}}
spec:
  egress:
  - hosts: ["./*"]
`).join("---\n");
}

/** Writes the whole configuration, one object a file. Accounts: see {@link serviceEntry}. */
export async function writeCorpus(dir: string, services: number, account?: string): Promise<void> {
  for (let i = 0; i < services; i++) {
    await Deno.writeTextFile(`${dir}/se-${i}.yaml`, serviceEntry(i, 0, account));
    if (i % 2 === 0) await Deno.writeTextFile(`${dir}/vs-${i}.yaml`, virtualService(i));
    if (i % 4 === 0) await Deno.writeTextFile(`${dir}/dr-${i}.yaml`, destinationRule(i));
  }
}
