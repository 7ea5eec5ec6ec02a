/** A string (or other value) that only its own constructor function may produce. */
export type Brand<Value, Name extends string> = Value & { readonly __brand: Name };
