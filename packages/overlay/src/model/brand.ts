declare const brand: unique symbol

/** A string that cannot be passed where another kind of string is expected. */
export type Brand<Name extends string> = string & { readonly [brand]: Name }
