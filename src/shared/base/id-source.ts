/** Where new identifiers come from; a counter in tests, random in the app. */
export interface IdSource {
  next(): string
}
