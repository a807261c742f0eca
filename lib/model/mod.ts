/**
 * The nouns: objects, services, endpoints, proxies. Pure data.
 *
 * @module
 */
export { type ConfigObject, objectKey, type ObjectMeta, type Origin } from "./object.ts";
export {
  type Endpoint,
  isHttp,
  isHttp2,
  isTls,
  type Locality,
  mayBeHttp,
  mayBeTcp,
  type Protocol,
  type Resolution,
  type Service,
  type ServicePort,
  type Visibility,
} from "./service.ts";
export { type Place, type ProxyClass, type Role, type ServiceTarget } from "./proxy.ts";
export { type ProxyNode, type Seat, type SeatSource } from "./seat.ts";
