/**
 * What types of resources are called where there is little room.
 *
 * @module
 */
import { AGENT_TYPE_URLS, TYPE_URLS } from "./type_urls.ts";

/** Short names of the types served, for logs and metrics. */
export const SHORT_NAMES: Readonly<Record<string, string>> = {
  [TYPE_URLS.cluster]: "cds",
  [TYPE_URLS.endpoint]: "eds",
  [TYPE_URLS.listener]: "lds",
  [TYPE_URLS.route]: "rds",
  [TYPE_URLS.virtualHost]: "vhds",
  [TYPE_URLS.secret]: "sds",
  [TYPE_URLS.extension]: "ecds",
  [AGENT_TYPE_URLS.nameTable]: "nds",
  [AGENT_TYPE_URLS.proxyConfig]: "pcds",
};
