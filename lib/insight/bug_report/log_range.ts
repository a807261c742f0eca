/**
 * Lines of a log within a range of time. Pure.
 *
 * @module
 */

/** A range; an empty text is no limit. Both ends belong to it. */
export interface TimeRange {
  /** RFC 3339. */
  readonly start: string;
  readonly end: string;
}

/** A time at the beginning of a line, or in the field `time` of a line in JSON. */
const TIME = /^(?:\{.*?"time"\s*:\s*")?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z/;
const DIGITS = 9;

/** The lines of a range. A line without a time belongs to the line before it. */
export function linesWithin(text: string, { start, end }: TimeRange): string {
  if (start === "" && end === "") return text;
  const [from, to] = [start === "" ? "" : comparable(start), end === "" ? "" : comparable(end)];
  let isWithin = from === "";
  return text.split(/(?<=\n)/).filter((line) => {
    const time = timeOf(line);
    if (time !== undefined) isWithin = time >= from && (to === "" || time <= to);
    return isWithin;
  }).join("");
}

function timeOf(line: string): string | undefined {
  const [, seconds, fraction = ""] = TIME.exec(line) ?? [];
  return seconds === undefined
    ? undefined
    : `${seconds}.${fraction.padEnd(DIGITS, "0").slice(0, DIGITS)}`;
}

/** A time in UTC as a text whose order is that of time; fractions keep all digits. */
function comparable(time: string): string {
  const [, fraction = ""] = /\.(\d+)/.exec(time) ?? [];
  const seconds = new Date(time).toISOString().slice(0, 19);
  return `${seconds}.${fraction.padEnd(DIGITS, "0").slice(0, DIGITS)}`;
}
