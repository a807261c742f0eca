/**
 * Metrics of leader elections.
 *
 * @module
 */
import { type Counter, counter, type Gauge, gauge } from "../../../kit/metrics/mod.ts";

/** 1 for the elections that this process has won. */
export const leading: Gauge = gauge({
  name: "mesh_leader",
  help: "1 if this daemon runs the controllers of an election, 0 if another replica does.",
  labels: ["election"],
});

/** Changes of the leader, as this process saw them. */
export const transitions: Counter = counter({
  name: "mesh_leader_transitions_total",
  help: "Times that this daemon won or lost an election.",
  labels: ["election", "result"],
});
