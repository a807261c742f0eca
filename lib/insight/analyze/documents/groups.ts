/** API groups that kinds of the same name tell apart. */

/** Group of the mesh's own Gateway. */
export const MESH_NETWORKING = "networking.mesh.io";
/** Group of the Gateway API. */
export const GATEWAY_API = "gateway.networking.k8s.io";
