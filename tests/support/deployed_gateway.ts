/**
 * A Gateway that Mesh deploys, with a route for all its requests.
 *
 * @module
 */

/** The Gateway `edge` in `shop` and its route; `backend` is the content of a backend reference. */
export function deployedGateway(backend: string): string {
  return `---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  gatewayClassName: mesh
  listeners: [{name: http, port: 80, protocol: HTTP}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: edge, namespace: shop}
spec: {parentRefs: [{name: edge}], rules: [{backendRefs: [{${backend}}]}]}
`;
}
