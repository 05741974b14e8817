/** Data stored together with a step's entries, in the same transaction. */
export interface WrittenWithStep {
  /** Writes everything given since the last flush. Called inside the transaction of an append. */
  flush(): void
  /** Called when that transaction has committed. Until then a failed append can be tried again. */
  committed(): void
}
