/** Makes new identifiers: from a counter in tests, at random in the app. */
export interface IdSource {
  next(): string
}
