/** What one way through the work cost. */
export interface Lap {
  readonly milliseconds: number
  /** Space on the disk that it took, beside the project itself. */
  readonly bytes: number
  /** Programs that it started. */
  readonly processes: number
  /** Path of the patch that came out. */
  readonly patch: string
}
