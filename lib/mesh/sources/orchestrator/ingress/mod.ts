/**
 * Ingress objects as Gateways and VirtualServices.
 *
 * @module
 */
export { INGRESS, type Ingress, INGRESS_CLASS, type IngressClass } from "./api.ts";
export { followIngresses, type IngressOptions, type IngressSource } from "./source.ts";
export {
  gatewaySelector,
  type IngressDocument,
  ingressDocuments,
  type IngressMode,
  type IngressSettings,
  isOurs,
} from "./translate.ts";
