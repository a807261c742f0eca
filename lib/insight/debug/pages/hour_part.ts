/**
 * The last hour as small plots, and as a table.
 *
 * @module
 */
import type { ComponentChildren } from "../../../kit/web/mod.ts";
import { drawPlot, type Plot } from "../../picture/mod.ts";
import { KEPT_MS, type Sample, SAMPLE_MS } from "../samples.ts";
import { h, size, span, table } from "./layout.ts";
import { svg } from "./svg.ts";

/** A measured number of each sample. */
interface Measure {
  readonly id: string;
  readonly title: string;
  readonly form: Plot["form"];
  readonly tone?: Plot["tone"];
  readonly of: (sample: Sample) => number | undefined;
  readonly shown: (value: number) => string;
  /** The number of several samples. */
  readonly joined: (values: readonly number[]) => number;
  /** Says what the number of the whole hour is, such as `in all`. */
  readonly whole: string;
}

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
const most = (values: readonly number[]) => Math.max(...values);
const number = (value: number) => value.toLocaleString("en-US");

const MEASURES: readonly Measure[] = [
  {
    id: "edits",
    title: "Edits",
    form: "bars",
    of: ({ edits }) => edits,
    shown: number,
    joined: sum,
    whole: "in all",
  },
  {
    id: "convergence",
    title: "Slowest convergence",
    form: "bars",
    of: ({ slowestMs }) => slowestMs,
    shown: span,
    joined: most,
    whole: "at most",
  },
  {
    id: "refusals",
    title: "Refusals by proxies",
    form: "bars",
    tone: "bad",
    of: ({ refused }) => refused,
    shown: number,
    joined: sum,
    whole: "in all",
  },
  {
    id: "proxies",
    title: "Proxies",
    form: "line",
    of: ({ proxies }) => proxies,
    shown: number,
    joined: most,
    whole: "at most",
  },
  {
    id: "memory",
    title: "Memory of the daemon",
    form: "line",
    of: ({ memory }) => memory,
    shown: size,
    joined: most,
    whole: "at most",
  },
];

/** The plots; a sentence while there is no sample. */
export function hourPart(samples: readonly Sample[], now: number): ComponentChildren {
  const shown = samples.filter(({ time }) => time > now - KEPT_MS && time <= now);
  const [first] = shown;
  if (first === undefined) {
    const text = `The last hour: no sample yet. One is taken each ${span(SAMPLE_MS)}.`;
    return h("p", { class: "mute", id: "hour" }, text);
  }
  return h("section", { id: "hour" }, [
    h("h2", null, "The last hour"),
    h("div", { class: "plots" }, MEASURES.map((one) => figure(one, shown, now))),
    h("details", null, [
      h("summary", null, "The last hour in numbers"),
      hourTable(shown, now),
    ]),
  ]);
}

/** Values of a measure that samples have. */
function valuesOf({ of }: Measure, samples: readonly Sample[]): number[] {
  return samples.map(of).filter((value) => value !== undefined);
}

function figure(measure: Measure, samples: readonly Sample[], now: number): ComponentChildren {
  const { id, title, form, tone, of } = measure;
  const words = summary(measure, samples);
  const points = samples.map((sample) => ({ time: sample.time, value: of(sample) }));
  return h("figure", null, [
    h("figcaption", null, title),
    svg(drawPlot({
      id: `plot-${id}`,
      title: `${title}, the last hour`,
      description: words,
      points,
      from: now - KEPT_MS,
      to: now,
      form,
      // One sample may be missing, as none is taken during a publication.
      gap: 2.5 * SAMPLE_MS,
      ...tone !== undefined && { tone },
    })),
    h("div", { class: "mute" }, words),
  ]);
}

function summary(measure: Measure, samples: readonly Sample[]): string {
  const { form, joined, shown, whole } = measure;
  const values = valuesOf(measure, samples);
  if (values.length === 0) return "none measured";
  const all = `${shown(joined(values))} ${whole}`;
  return form === "line" ? `${shown(values.at(-1)!)} now, ${all}` : all;
}

/** Time of a row of the table, ms. */
const ROW_MS = 300_000;

/** The newest first; rows without samples are left out. */
function hourTable(samples: readonly Sample[], now: number): ComponentChildren {
  const rows = Map.groupBy(samples.toReversed(), ({ time }) => Math.floor((now - time) / ROW_MS));
  return table({
    caption: `The last hour, by ${span(ROW_MS)}`,
    columns: ["From", ...MEASURES.map(({ title }) => title)],
    rows: [...rows].map(([row, some]) => [
      `${new Date(now - (row + 1) * ROW_MS).toISOString().slice(11, 19)}Z`,
      ...MEASURES.map((measure) => {
        const values = valuesOf(measure, some);
        return values.length === 0 ? "" : measure.shown(measure.joined(values));
      }),
    ]),
  });
}
