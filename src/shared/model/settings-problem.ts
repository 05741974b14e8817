/** What is wrong in a settings text. */
export interface SettingsProblem {
  /** 1-based; null where the whole text is meant. */
  readonly line: number | null
  readonly message: string
  /** False for what is kept and not used, which keeps nobody from saving. */
  readonly wrong: boolean
}
