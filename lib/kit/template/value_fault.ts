/** A mistake in a value of a template: its message is for users, unlike those of the runtime. */
export class ValueFault extends Error {}
