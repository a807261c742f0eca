/**
 * The resource types of xDS: the table of types with URL, short name and push order (`types.ts`),
 * and the push order (`order.ts`).
 *
 * @module
 */
export { PUSH_ORDER, pushPosition } from "./order.ts";
export { AGENT_TYPE_URLS, type ProxyTypeName, TYPE_URLS } from "./type_urls.ts";
export {
  CONFIG_RESOURCE_URL,
  HEALTH_TYPE_URL,
  type ObjectType,
  objectType,
  objectUrl,
  XDS_TYPES,
  type XdsType,
  xdsType,
  type XdsTypeName,
} from "./types.ts";
