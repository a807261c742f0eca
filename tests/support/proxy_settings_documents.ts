/**
 * Fixture for settings of proxies.
 *
 * @module
 */

/** A service with a port of HTTP and one of gRPC, rules for it, and a gateway, all in namespace `one`. */
export const SETTINGS_DOCUMENTS: string = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: a, namespace: one}
spec:
  hosts: [a.example]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 8080, name: http, protocol: HTTP}, {number: 9090, name: grpc, protocol: GRPC}]
  endpoints: [{address: 172.16.0.1}]
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: a, namespace: one}
spec:
  hosts: [a.example]
  http:
  - match: [{uri: {prefix: /as}}]
    rewrite: {authority: b.example}
    route: [{destination: {host: a.example}}]
  - route: [{destination: {host: a.example}}]
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: gw, namespace: one}
spec:
  selector: {app: gw}
  servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: [a.example]}]
`;
