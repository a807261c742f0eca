/**
 * Repair of pods that started before the network plugin was there: finding them (`broken.ts`), and
 * what is done with them (`repair.ts`).
 *
 * @module
 */
export { repairPods, type RepairPodsOptions } from "./repair.ts";
export type { RepairSettings } from "./settings.ts";
