/**
 * HTML pages of `/debug`: proxies, resources, objects, pushes, history, receipts, quarantine,
 * costs, requests and what-if questions. `layout.ts` has the parts that all pages share.
 *
 * @module
 */
export { auditPage, changesPage, type ProxyChange, revisionPage } from "./history_pages.ts";
export { debugPage, notFoundPage, type Shell, shellOf } from "./frame.ts";
export { h, pathOf, proxyLink, refLink, table, tiles, wantsPage } from "./layout.ts";
export { incidentPage } from "./incident_page.ts";
export { mapPages } from "./map_page.ts";
export { noProxyPage } from "./near_pages.ts";
export { onDemandPage } from "./on_demand_page.ts";
export { objectPages } from "./object_pages.ts";
export { byState, proxyPages, proxyTable, stateTiles } from "./proxies_page.ts";
export { receiptPages, receiptTable } from "./receipt_pages.ts";
export { requestPage } from "./request_page.ts";
export { resourcePages } from "./resource_page.ts";
export { whatIfPage } from "./whatif_page.ts";
export { servicePages } from "./service_pages.ts";
export { scopePart, troublePart } from "./trouble_part.ts";
export { pushTable, workPages } from "./work_pages.ts";
