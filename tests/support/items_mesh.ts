/**
 * A service of one workload, and a client of another namespace.
 *
 * @module
 */

/** The service `items.example` in `shop`, and the workload `front` in `web`. */
export const ITEMS_MESH = `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: items, namespace: shop}
spec:
  hosts: [items.example]
  location: MESH_INTERNAL
  resolution: STATIC
  addresses: [10.1.0.1]
  ports: [{number: 80, name: http, protocol: HTTP}]
  workloadSelector: {labels: {app: items}}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: items, namespace: shop}
spec: {address: 172.16.0.1, labels: {app: items}, serviceAccount: items}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadEntry
metadata: {name: front, namespace: web}
spec: {address: 172.16.0.9, labels: {app: front}, serviceAccount: front}
`;
